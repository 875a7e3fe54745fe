"""What the golden scripts share: the sequences, the reference loss, and where the results go."""

import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

GOLDEN = Path(__file__).resolve().parents[2] / "test" / "golden"
VOCAB = 96
LENGTHS = (5, 17, 40)

torch.set_num_threads(1)
torch.use_deterministic_algorithms(True)


def sequences(seed: int) -> list[dict[str, torch.Tensor]]:
    """Three token sequences with their next-token targets and loss weights, each of shape [T].

    The prompt part weighs 0, the rest 1; the longest sequence also has tokens of weight 0.5,
    so that an implementation which only knows masks is caught.
    """
    random = np.random.default_rng(seed)
    result = []
    for length in LENGTHS:
        tokens = torch.from_numpy(random.integers(0, VOCAB, length + 1))
        weights = torch.ones(length)
        weights[: length // 4] = 0
        if length == max(LENGTHS):
            weights[25:30] = 0.5
            weights[33] = 0
        result.append({"input_ids": tokens[:-1], "targets": tokens[1:], "weights": weights})
    return result


def outputs(logits: torch.Tensor, targets: torch.Tensor) -> dict[str, torch.Tensor]:
    """Log-probabilities of the targets and entropies of the next-token distributions, from logits [T, V]."""
    log_probs = F.log_softmax(logits, dim=-1)
    return {
        "logits": logits,
        "logprobs": log_probs.gather(-1, targets[:, None])[:, 0],
        "entropy": -(log_probs.exp() * log_probs).sum(-1),
    }


def weighted_loss(model, batch) -> tuple[torch.Tensor, list[dict[str, torch.Tensor]]]:
    """Σ weight · (−log p(target)) / Σ weight over all tokens of all sequences, each run on its own."""
    per_sequence = [outputs(model(input_ids=s["input_ids"][None]).logits[0], s["targets"]) for s in batch]
    total = sum((o["logprobs"] * s["weights"]).sum() for o, s in zip(per_sequence, batch))
    return -total / sum(s["weights"].sum() for s in batch), per_sequence


def check_packed(model, batch, per_sequence) -> None:
    """The same sequences side by side in one row, each seeing only itself, must give the same logits."""
    window = getattr(model.config, "sliding_window", None)
    length = sum(LENGTHS)
    segment = torch.cat([torch.full((n,), i) for i, n in enumerate(LENGTHS)])
    position = torch.cat([torch.arange(n) for n in LENGTHS])
    distance = position[:, None] - position[None, :]
    visible = (segment[:, None] == segment[None, :]) & (distance >= 0)
    if window is not None:
        visible &= distance < window
    mask = torch.zeros(length, length, dtype=torch.float64).masked_fill(~visible, torch.finfo(torch.float64).min)
    packed = model(
        input_ids=torch.cat([s["input_ids"] for s in batch])[None],
        position_ids=position[None],
        attention_mask=mask[None, None],
    ).logits[0]
    worst = (packed - torch.cat([o["logits"] for o in per_sequence])).abs().max().item()
    assert worst < 1e-5, f"packed and unpacked logits differ by {worst}"


def flatten(batch, per_sequence) -> dict[str, torch.Tensor]:
    """One flat record of tensors: `<name>.<sequence>`."""
    flat = {}
    for i, (sequence, output) in enumerate(zip(batch, per_sequence)):
        for name, value in {**sequence, **output}.items():
            flat[f"{name}.{i}"] = value
    return flat


def write_tensors(path: Path, tensors: dict[str, torch.Tensor]) -> None:
    """Writes float64 as float32 and int64 as int32."""
    path.parent.mkdir(parents=True, exist_ok=True)
    narrow = {torch.float64: torch.float32, torch.int64: torch.int32}
    save_file({k: v.detach().to(narrow.get(v.dtype, v.dtype)).contiguous().clone() for k, v in tensors.items()}, path)


def write_json(path: Path, value) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, separators=(",", ":"), allow_nan=False) + "\n")


def randomize(model, seed: int) -> None:
    """Large enough weights that attention and logits vary, and no bias, norm or scale left at its neutral value."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(1 + 0.2 * noise if "norm" in name else 0.2 * noise)
