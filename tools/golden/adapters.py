"""Golden files for LoRA: adapters that PEFT wrote for the tiny checkpoint test/golden/models/llama.

Writes test/golden/adapters/<name>/: adapter_config.json, adapter_model.safetensors and golden.safetensors with the
logits, loss and gradients for the sequences of the base checkpoint's own golden file. Run models.py first.
"""

import copy
import shutil

import torch
from peft import LoraConfig, get_peft_model
from peft.utils import get_peft_model_state_dict
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

from common import GOLDEN, LENGTHS, weighted_loss, write_tensors

BASE = GOLDEN / "models" / "llama"
ALL_LINEAR = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
VARIANTS = {
    "query-value": dict(target_modules=["q_proj", "v_proj"]),
    "all-linear": dict(target_modules=ALL_LINEAR),
    "rslora": dict(target_modules=ALL_LINEAR, use_rslora=True),
}


def base_batch() -> list[dict[str, torch.Tensor]]:
    tensors = load_file(BASE / "golden.safetensors")
    return [
        {
            "input_ids": tensors[f"input_ids.{i}"].long(),
            "targets": tensors[f"targets.{i}"].long(),
            "weights": tensors[f"weights.{i}"],
        }
        for i in range(len(LENGTHS))
    ]


def randomize_adapter(model, seed: int) -> None:
    """B starts at zero in training; here neither factor is, so that both gradients mean something."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            if "lora_" in name:
                parameter.copy_(0.2 * torch.randn(parameter.shape, generator=generator))


def main() -> None:
    batch = base_batch()
    for index, (name, options) in enumerate(VARIANTS.items()):
        folder = GOLDEN / "adapters" / name
        shutil.rmtree(folder, ignore_errors=True)
        base = AutoModelForCausalLM.from_pretrained(BASE, dtype=torch.float32, attn_implementation="eager")
        config = LoraConfig(r=4, lora_alpha=8, lora_dropout=0.0, bias="none", task_type="CAUSAL_LM", **options)
        model = get_peft_model(base, config).eval()
        randomize_adapter(model, seed=400 + index)
        model.peft_config["default"].base_model_name_or_path = "test/golden/models/llama"
        # A set in memory; sorted, the file is the same on every run.
        model.peft_config["default"].target_modules = sorted(config.target_modules)
        model.save_pretrained(folder)
        (folder / "README.md").unlink()

        model = model.double()
        loss, per_sequence = weighted_loss(model, batch)
        loss.backward()
        tensors = {f"logits.{i}": output["logits"] for i, output in enumerate(per_sequence)}
        tensors["loss"] = loss
        gradients = get_peft_model_state_dict(
            model, state_dict={n: p.grad for n, p in model.named_parameters() if p.grad is not None}
        )
        assert gradients.keys() == load_file(folder / "adapter_model.safetensors").keys()
        tensors.update({f"grad.{n}": gradient for n, gradient in gradients.items()})

        merged = copy.deepcopy(model).merge_and_unload()
        _, merged_outputs = weighted_loss(merged, batch)
        tensors["merged_logits.1"] = merged_outputs[1]["logits"]
        difference = (merged_outputs[2]["logits"] - per_sequence[2]["logits"]).abs().max().item()
        assert difference < 1e-5, difference
        layer = "model.layers.1.self_attn.v_proj.weight"
        tensors[f"merged.{layer}"] = merged.state_dict()[layer]
        write_tensors(folder / "golden.safetensors", tensors)
        print(f"{name}: loss {loss.item():.6f}, merged logits differ by {difference:.1e}")


if __name__ == "__main__":
    main()
