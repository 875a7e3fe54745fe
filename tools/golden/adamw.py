"""Golden values for AdamW with gradient clipping, and for learning-rate schedules.

Writes test/golden/adamw/adamw.json (parameters and moments after each step, float32) and schedules.json (the factor on
the learning rate at each step).
"""

import math

import torch
import transformers
from transformers import get_scheduler

from common import GOLDEN, write_json

SHAPES = {"matrix": (4, 3), "vector": (5,), "cube": (2, 2, 2)}
STEPS = 6
CASES = {
    "plain": dict(lr=1e-2, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, max_grad_norm=None),
    "decay": dict(lr=1e-2, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1, max_grad_norm=None),
    "decay-clip": dict(lr=3e-2, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.05, max_grad_norm=1.0),
    "schedule": dict(lr=2e-2, betas=(0.8, 0.99), eps=1e-8, weight_decay=0.01, max_grad_norm=2.0),
}


def floats(tensor: torch.Tensor) -> list[float]:
    return [float(f"{x:.9g}") for x in tensor.flatten().tolist()]


def run(name: str, options: dict, seed: int) -> dict:
    generator = torch.Generator().manual_seed(seed)
    parameters = {k: torch.nn.Parameter(torch.randn(shape, generator=generator)) for k, shape in SHAPES.items()}
    optimizer = torch.optim.AdamW(
        parameters.values(),
        lr=options["lr"],
        betas=options["betas"],
        eps=options["eps"],
        weight_decay=options["weight_decay"],
        foreach=False,
    )
    initial = {k: floats(p) for k, p in parameters.items()}
    steps = []
    for step in range(STEPS):
        rate = options["lr"] * (1 - step / STEPS) if name == "schedule" else options["lr"]
        optimizer.param_groups[0]["lr"] = rate
        # Growing, so that clipping starts midway; the vector's gradient is zero at first.
        scale = 0.1 * 2**step
        for key, parameter in parameters.items():
            parameter.grad = scale * torch.randn(parameter.shape, generator=generator)
            if key == "vector" and step == 0:
                parameter.grad.zero_()
        gradients = {k: floats(p.grad) for k, p in parameters.items()}
        limit = math.inf if options["max_grad_norm"] is None else options["max_grad_norm"]
        norm = torch.nn.utils.clip_grad_norm_(parameters.values(), limit)
        optimizer.step()
        steps.append(
            {
                "lr": rate,
                "gradients": gradients,
                "gradientNorm": float(f"{norm.item():.9g}"),
                "parameters": {k: floats(p) for k, p in parameters.items()},
                "firstMoment": {k: floats(optimizer.state[p]["exp_avg"]) for k, p in parameters.items()},
                "secondMoment": {k: floats(optimizer.state[p]["exp_avg_sq"]) for k, p in parameters.items()},
            }
        )
    return {"name": name, "options": options, "initial": initial, "steps": steps}


def factors(kind: str, warmup: int, total: int, **specific) -> list[float]:
    """Factor on the learning rate used by optimizer step 0, 1, …, total."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    scheduler = get_scheduler(
        kind,
        optimizer,
        num_warmup_steps=warmup,
        num_training_steps=total,
        scheduler_specific_kwargs=specific or None,
    )
    result = []
    for _ in range(total + 1):
        result.append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()
    return result


def cosine_with_floor(warmup: int, total: int, floor: float, constant_from: float = 1.0) -> list[float]:
    """Cosine from 1 to `floor`, which is reached after the fraction `constant_from` of all steps and then kept."""
    end = int(total * constant_from)

    def factor(step: int) -> float:
        if step < warmup:
            return step / max(1, warmup)
        progress = min(1.0, (step - warmup) / max(1, end - warmup))
        return floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * progress))

    return [factor(step) for step in range(total + 1)]


def schedules() -> list[dict]:
    cases = []
    for warmup, total in ((0, 10), (3, 10), (10, 50), (1, 1), (10, 10)):
        for scheduler, kind in (
            ("cosine", "cosine"),
            ("linear", "linear"),
            ("constant_with_warmup", "constant_with_warmup"),
        ):
            cases.append({"scheduler": scheduler, "warmup": warmup, "total": total, "factors": factors(kind, warmup, total)})
        floor = cosine_with_floor(warmup, total, 0.1)
        assert torch.allclose(
            torch.tensor(floor).double(),
            torch.tensor(factors("cosine_with_min_lr", warmup, total, min_lr_rate=0.1)).double(),
        )
        cases.append(
            {"scheduler": "cosine", "warmup": warmup, "total": total, "cosine_min_lr_ratio": 0.1, "factors": floor}
        )
    for warmup, total in ((0, 10), (10, 50)):
        cases.append(
            {
                "scheduler": "cosine",
                "warmup": warmup,
                "total": total,
                "cosine_min_lr_ratio": 0.1,
                "cosine_constant_lr_ratio": 0.8,
                "factors": cosine_with_floor(warmup, total, 0.1, 0.8),
            }
        )
    cases.append({"scheduler": "constant", "warmup": 0, "total": 10, "factors": factors("constant", 0, 10)})
    return [{**case, "factors": [float(f"{f:.12g}") for f in case["factors"]]} for case in cases]


def main() -> None:
    write_json(
        GOLDEN / "adamw" / "adamw.json",
        {
            "madeWith": {"torch": torch.__version__.split("+")[0]},
            "shapes": SHAPES,
            "cases": [run(name, options, seed=600 + i) for i, (name, options) in enumerate(CASES.items())],
        },
    )
    cases = schedules()
    write_json(
        GOLDEN / "adamw" / "schedules.json",
        {"madeWith": {"transformers": transformers.__version__}, "cases": cases},
    )
    print(f"{len(CASES)} optimizer runs, {len(cases)} schedules")


if __name__ == "__main__":
    main()
