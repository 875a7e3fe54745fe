"""Golden files for the forward pass and its gradients, one tiny random checkpoint for each variant.

Writes test/golden/models/<name>/: a Hugging Face checkpoint (config.json, model.safetensors) and golden.safetensors.
Where the checkpoint has scaled rotary embeddings, legacy-config.json is the same configuration in the older
`rope_theta` + `rope_scaling` form.
"""

import json
import shutil

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from common import GOLDEN, VOCAB, check_packed, flatten, randomize, sequences, weighted_loss, write_tensors

SIZE = dict(
    vocab_size=VOCAB,
    hidden_size=32,
    intermediate_size=24,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=128,
    rms_norm_eps=1e-5,
    initializer_range=0.02,
    bos_token_id=1,
    eos_token_id=2,
    tie_word_embeddings=False,
    attn_implementation="eager",
)

# The scaled embeddings have bases and original lengths so small that, at head width 8 and 40 tokens,
# kept, blended and stretched frequencies all occur.
VARIANTS = {
    "llama": (LlamaForCausalLM, LlamaConfig, {}),
    "llama-linear-tied": (
        LlamaForCausalLM,
        LlamaConfig,
        dict(
            tie_word_embeddings=True,
            rope_parameters={"rope_type": "linear", "factor": 2.5, "rope_theta": 10000.0},
        ),
    ),
    "llama-llama3-bias": (
        LlamaForCausalLM,
        LlamaConfig,
        dict(
            attention_bias=True,
            mlp_bias=True,
            rope_parameters={
                "rope_type": "llama3",
                "rope_theta": 10.0,
                "factor": 8.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 32,
            },
        ),
    ),
    "llama-yarn": (
        LlamaForCausalLM,
        LlamaConfig,
        dict(
            rope_parameters={
                "rope_type": "yarn",
                "rope_theta": 100.0,
                "factor": 4.0,
                "beta_fast": 2.0,
                "beta_slow": 0.2,
                "original_max_position_embeddings": 16,
            },
            max_position_embeddings=64,
        ),
    ),
    "mistral-window": (MistralForCausalLM, MistralConfig, dict(sliding_window=8)),
    "qwen2-tied": (Qwen2ForCausalLM, Qwen2Config, dict(tie_word_embeddings=True)),
    "qwen3": (Qwen3ForCausalLM, Qwen3Config, dict(head_dim=12)),
}
GREEDY = ("llama", "qwen3")
NEW_TOKENS = 12


def greedy(model, seed: int) -> dict[str, torch.Tensor]:
    """A prompt, its most likely continuation and the log-probabilities of that.

    Takes the first random prompt for which no choice is a close call.
    """
    generator = torch.Generator().manual_seed(seed)
    while True:
        prompt = torch.randint(VOCAB, (6,), generator=generator)
        generated = model.generate(
            prompt[None],
            attention_mask=torch.ones(1, prompt.numel(), dtype=torch.long),
            do_sample=False,
            max_new_tokens=NEW_TOKENS,
            eos_token_id=None,
            pad_token_id=0,
            output_scores=True,
            return_dict_in_generate=True,
        )
        scores = torch.log_softmax(torch.cat(generated.scores), dim=-1)
        best = scores.topk(2, dim=-1).values
        if (best[:, 0] - best[:, 1]).min() > 0.05:
            break
    tokens = generated.sequences[0, prompt.numel() :]
    assert torch.equal(tokens, scores.argmax(-1))
    return {"generate.prompt": prompt, "generate.tokens": tokens, "generate.logprobs": best[:, 0]}


def write_legacy_config(folder) -> None:
    config = json.loads((folder / "config.json").read_text())
    rope = config.pop("rope_parameters")
    config["torch_dtype"] = config.pop("dtype")
    config["rope_theta"] = rope.pop("rope_theta")
    if rope["rope_type"] == "default":
        return
    config["rope_scaling"] = rope
    (folder / "legacy-config.json").write_text(json.dumps(config, indent=2) + "\n")


def assert_legacy_config_is_the_same(folder) -> None:
    if not (folder / "legacy-config.json").exists():
        return
    legacy = AutoConfig.for_model(**json.loads((folder / "legacy-config.json").read_text()))
    ids = torch.arange(40)[None]
    current = AutoModelForCausalLM.from_pretrained(folder)
    older = AutoModelForCausalLM.from_pretrained(folder, config=legacy)
    assert torch.equal(current(ids).logits, older(ids).logits)


def main() -> None:
    for index, (name, (model_class, config_class, overrides)) in enumerate(VARIANTS.items()):
        folder = GOLDEN / "models" / name
        shutil.rmtree(folder, ignore_errors=True)
        model = model_class(config_class(**{**SIZE, **overrides})).float().eval()
        randomize(model, seed=100 + index)
        model.save_pretrained(folder)
        (folder / "generation_config.json").unlink(missing_ok=True)
        write_legacy_config(folder)
        assert_legacy_config_is_the_same(folder)

        model = model.double()
        batch = sequences(seed=200 + index)
        loss, per_sequence = weighted_loss(model, batch)
        loss.backward()
        check_packed(model, batch, per_sequence)
        tensors = flatten(batch, per_sequence)
        tensors["loss"] = loss
        for parameter_name, parameter in model.named_parameters():
            tensors[f"grad.{parameter_name}"] = parameter.grad
        if name in GREEDY:
            tensors.update(greedy(model, seed=300 + index))
        write_tensors(folder / "golden.safetensors", tensors)
        logits = per_sequence[2]["logits"]
        print(f"{name}: loss {loss.item():.6f}, logits std {logits.std().item():.3f}")


if __name__ == "__main__":
    main()
