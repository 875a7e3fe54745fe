"""Golden files for what reads and writes checkpoints: half floats, rotary tables, shards, GGUF and PEFT files.

Writes test/golden/checkpoints/. Run models.py first: the tiny checkpoints there are what is converted here.
"""

import json
import math
import shutil

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as T
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from common import GOLDEN

OUT = GOLDEN / "checkpoints"
MODELS = GOLDEN / "models"


def half_floats() -> None:
    """float32 values, and PyTorch's f16 and bf16 roundings of them: random bit patterns, ties, limits, subnormals."""
    random = np.random.default_rng(1)
    patterns = random.integers(0, 2**32, 1500, dtype=np.uint64).astype(np.uint32).view(np.float32)
    ordinary = (random.standard_normal(500) * 10.0 ** random.integers(-9, 5, 500)).astype(np.float32)
    halves = np.arange(0, 0x7C00, 97, dtype=np.uint16)
    low, high = (h.view(np.float16).astype(np.float64) for h in (halves, halves + 1))
    ties = ((low + np.where(np.isfinite(high), high, low)) / 2).astype(np.float32)
    edges = np.array([0, -0.0, 65504, 65519.996, 65520, -65536, 2**-14, 2**-24, 2**-25, 2**-26, 1e-45, np.inf, -np.inf, 3.4e38, 3.3961e38])
    values = torch.from_numpy(np.concatenate([patterns, ordinary, ties, -ties, edges.astype(np.float32)]))
    values = values[~values.isnan()]
    save_file({"f32": values, "f16": values.half(), "bf16": values.bfloat16()}, OUT / "half-floats.safetensors")


ROPES = {
    "default": ({"rope_type": "default", "rope_theta": 10000.0}, 4096),
    "linear": ({"rope_type": "linear", "rope_theta": 500000.0, "factor": 4.0}, 4096),
    "llama3": (
        {
            "rope_type": "llama3",
            "rope_theta": 500000.0,
            "factor": 32.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192,
        },
        131072,
    ),
    "yarn": (
        {"rope_type": "yarn", "rope_theta": 1000000.0, "factor": 4.0, "original_max_position_embeddings": 32768},
        131072,
    ),
    "yarn-options": (
        {
            "rope_type": "yarn",
            "rope_theta": 10000.0,
            "factor": 40.0,
            "original_max_position_embeddings": 4096,
            "beta_fast": 24,
            "beta_slow": 2,
            "mscale": 0.7,
            "mscale_all_dim": 1.3,
            "truncate": False,
        },
        163840,
    ),
    "yarn-attention-factor": (
        {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 8.0, "attention_factor": 1.25},
        4096,
    ),
}


def rope_tables() -> None:
    """Frequencies [headDim / 2] and the factor on cos and sin, from transformers' own functions."""
    result = {}
    for name, (parameters, length) in ROPES.items():
        config = LlamaConfig(
            vocab_size=8,
            hidden_size=256,
            intermediate_size=8,
            num_hidden_layers=1,
            num_attention_heads=4,
            max_position_embeddings=length,
            rope_parameters=dict(parameters),
        )
        if parameters["rope_type"] == "default":
            frequencies, factor = 1 / parameters["rope_theta"] ** (torch.arange(0, 64, 2).float() / 64), 1.0
        else:
            frequencies, factor = ROPE_INIT_FUNCTIONS[parameters["rope_type"]](config, "cpu")
        result[name] = {"config": config.to_dict(), "frequencies": frequencies.tolist(), "factor": factor}
        result[name]["config"]["architectures"] = ["LlamaForCausalLM"]
    (OUT / "rope.json").write_text(json.dumps(result, indent=1) + "\n")


def shards() -> None:
    """A bf16 checkpoint in several files with an index."""
    model = AutoModelForCausalLM.from_pretrained(MODELS / "llama-linear-tied", dtype=torch.bfloat16)
    model.save_pretrained(OUT / "sharded-bf16", max_shard_size="12KB")
    if not (OUT / "sharded-bf16" / "model.safetensors.index.json").exists():
        raise SystemExit("transformers wrote no shards")


def quantised_blocks() -> None:
    """Blocks of every readable GGML type, and gguf's dequantisation of them."""
    random = np.random.default_rng(2)
    tensors = {}
    for kind in (T.F32, T.F16, T.BF16, T.Q8_0, T.Q4_0, T.Q4_1, T.Q4_K, T.Q6_K):
        elements, size = gguf.GGML_QUANT_SIZES[kind]
        count = 6 if elements > 1 else 64
        blocks = random.integers(0, 256, (count, size), dtype=np.uint8)
        scale = lambda: (random.standard_normal((count, 1)) * 0.01).astype(np.float16).view(np.uint8)
        if kind in (T.F32, T.F16, T.BF16):
            values = torch.from_numpy(random.standard_normal((count, 1)).astype(np.float32))
            dtype = {T.F32: torch.float32, T.F16: torch.float16, T.BF16: torch.bfloat16}[kind]
            blocks = values.to(dtype).view(torch.uint8).numpy().reshape(count, size)
        elif kind == T.Q6_K:
            blocks[:, 208:210] = scale()
        else:
            blocks[:, 0:2] = scale()
            if kind in (T.Q4_1, T.Q4_K):
                blocks[:, 2:4] = scale()
        if kind == T.F32:
            values = blocks.view(np.float32)
        elif kind == T.F16:
            values = blocks.view(np.float16).astype(np.float32)
        else:
            values = gguf.dequantize(blocks, kind)
        tensors[f"{kind.name}.blocks"] = torch.from_numpy(blocks.copy())
        tensors[f"{kind.name}.values"] = torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32).reshape(-1))
    save_file(tensors, OUT / "ggml-blocks.safetensors")


PARTS = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def gguf_name(name: str) -> str:
    whole = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight", "lm_head.weight": "output.weight"}
    if name in whole:
        return whole[name]
    _, _, layer, rest = name.split(".", 3)
    part, kind = rest.rsplit(".", 1)
    return f"blk.{layer}.{PARTS[part]}.{kind}"


def permute(tensor: np.ndarray, heads: int) -> np.ndarray:
    """The row order of queries and keys in llama.cpp's `llama` architecture."""
    return tensor.reshape(heads, 2, tensor.shape[0] // heads // 2, *tensor.shape[1:]).swapaxes(1, 2).reshape(tensor.shape)


def llama3_factors(rope: dict, head_dim: int) -> np.ndarray:
    frequencies = 1 / rope["rope_theta"] ** (np.arange(0, head_dim, 2) / head_dim)
    turns = rope["original_max_position_embeddings"] * frequencies / (2 * math.pi)
    kept = np.clip((turns - rope["low_freq_factor"]) / (rope["high_freq_factor"] - rope["low_freq_factor"]), 0, 1)
    return (1 / ((1 - kept) / rope["factor"] + kept)).astype(np.float32)


def write_gguf(source: str, arch: str, kind: T) -> None:
    """One of the tiny checkpoints as llama.cpp's converter would write it."""
    config = json.loads((MODELS / source / "config.json").read_text())
    rope = config["rope_parameters"]
    writer = gguf.GGUFWriter(OUT / f"{source}.gguf", arch)
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(rope["rope_theta"])
    head_dim = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    if rope["rope_type"] in ("linear", "yarn"):
        writer.add_rope_scaling_type(gguf.RopeScalingType(rope["rope_type"]))
        writer.add_rope_scaling_factor(rope["factor"])
    if rope["rope_type"] == "yarn":
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
        writer.add_rope_scaling_yarn_beta_fast(rope["beta_fast"])
        writer.add_rope_scaling_yarn_beta_slow(rope["beta_slow"])
    if config.get("sliding_window") and arch == "llama":
        writer.add_sliding_window(config["sliding_window"])
    writer.add_token_list([f"token{i}" for i in range(config["vocab_size"])])
    writer.add_eos_token_id(2)
    if rope["rope_type"] == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_factors(rope, head_dim))
    for name, tensor in load_file(MODELS / source / "model.safetensors").items():
        data = tensor.numpy()
        if arch == "llama" and (".q_proj." in name or ".k_proj." in name):
            heads = config["num_attention_heads" if ".q_proj." in name else "num_key_value_heads"]
            data = permute(data, heads)
        if data.ndim == 1 or data.shape[-1] % gguf.GGML_QUANT_SIZES[kind][0] != 0:
            writer.add_tensor(gguf_name(name), data)
        else:
            writer.add_tensor(gguf_name(name), gguf.quantize(data, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def adapter_with_patterns() -> None:
    """What PEFT writes for a regular expression, ranks and alphas by pattern, and one layer; with the merged weights."""
    folder = OUT / "adapter-patterns"
    base = AutoModelForCausalLM.from_pretrained(MODELS / "llama", dtype=torch.float32)
    config = LoraConfig(
        r=4,
        lora_alpha=6,
        lora_dropout=0.05,
        task_type="CAUSAL_LM",
        target_modules=r".*\.(?P<part>self_attn\.[qv]_proj|layers\.1\.mlp\.down_proj)",
        rank_pattern={r"layers\.1\.self_attn\.q_proj": 2},
        alpha_pattern={"v_proj": 3},
        use_rslora=True,
    )
    model = get_peft_model(base, config).eval()
    generator = torch.Generator().manual_seed(9)
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            if "lora_" in name:
                parameter.copy_(0.2 * torch.randn(parameter.shape, generator=generator))
    model.peft_config["default"].base_model_name_or_path = "test/golden/models/llama"
    model.save_pretrained(folder)
    (folder / "README.md").unlink(missing_ok=True)
    adapted = {n.replace("base_model.model.", "").replace(".base_layer", "") for n, _ in model.named_parameters() if ".base_layer." in n}
    merged = model.merge_and_unload().state_dict()
    save_file({name: merged[name].contiguous() for name in sorted(adapted)}, folder / "merged.safetensors")


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    half_floats()
    rope_tables()
    shards()
    quantised_blocks()
    write_gguf("llama-llama3-bias", "llama", T.F32)
    write_gguf("llama-linear-tied", "llama", T.F16)
    write_gguf("mistral-window", "llama", T.Q8_0)
    write_gguf("qwen2-tied", "qwen2", T.BF16)
    write_gguf("qwen3", "qwen3", T.F16)
    write_gguf("llama-yarn", "llama", T.Q8_0)
    adapter_with_patterns()


if __name__ == "__main__":
    main()
