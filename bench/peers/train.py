"""Eager PyTorch peer of the training bench: one JSON line with tokens per second and peak memory.

    python train.py --mode full --shape 135m
    python train.py --mode lora --shape 135m
    python train.py --mode lora --shape 135m --seq 2048 --checkpointing

transformers and PEFT where installed, otherwise the twin in models.py (`--twin` asks for it). Float32, scaled-dot-product
attention, fused AdamW. Every figure is the median over the steps after the warm-up; `peakBytes` is the process's largest
resident size (VmHWM), of which `importBytes` was there before the model was made.
"""

import argparse
import json
import statistics
import time

import torch

from models import LINEAR, SHAPES, Twin, hugging_face_model, peft_version, transformers_version


def status_bytes(field: str) -> int | None:
    """VmHWM or VmRSS of this process; None where there is no /proc."""
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))
    except (OSError, StopIteration):
        return None


def build(arguments, use_transformers: bool, use_peft: bool):
    """The model in training mode and a function from token ids [B, T] to its loss."""
    shape = SHAPES[arguments.shape]
    if not use_transformers:
        model = Twin(shape)
        if arguments.mode == "lora":
            model.add_lora(rank=16, alpha=32)
        model.checkpointing = arguments.checkpointing
        return model.train(), model.loss
    model = hugging_face_model(shape)
    model.config.use_cache = False
    if arguments.checkpointing:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    if use_peft:
        from peft import LoraConfig, get_peft_model

        config = LoraConfig(r=16, lora_alpha=32, lora_dropout=0.0, target_modules=LINEAR, task_type="CAUSAL_LM")
        model = get_peft_model(model, config)
    return model.train(), lambda ids: model(input_ids=ids, labels=ids).loss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=["full", "lora"], default="full")
    parser.add_argument("--shape", choices=list(SHAPES), default="135m")
    parser.add_argument("--seq", type=int, default=512)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=5, help="measured steps")
    parser.add_argument("--warmup", type=int, default=2, help="steps before them")
    parser.add_argument("--checkpointing", action="store_true", help="recompute each layer in the backward pass")
    parser.add_argument("--twin", action="store_true", help="the plain twin even where transformers is installed")
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(0)
    transformers = None if arguments.twin else transformers_version()
    peft = peft_version() if transformers and arguments.mode == "lora" else None
    if transformers and arguments.mode == "lora" and not peft:
        transformers = None
    import_bytes = status_bytes("VmRSS")

    model, loss_of = build(arguments, transformers is not None, peft is not None)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-4, weight_decay=0.01, fused=True)
    ids = torch.randint(SHAPES[arguments.shape].vocab, (arguments.batch, arguments.seq))

    gradient_seconds, step_seconds = [], []
    for step in range(arguments.warmup + arguments.steps):
        begin = time.perf_counter()
        loss_of(ids).backward()
        middle = time.perf_counter()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        end = time.perf_counter()
        if step >= arguments.warmup:
            gradient_seconds.append(middle - begin)
            step_seconds.append(end - begin)

    tokens = arguments.batch * arguments.seq
    kind = f"memory.{arguments.mode}{arguments.seq}" if arguments.checkpointing else f"train.{arguments.mode}"
    print(
        json.dumps(
            {
                "bench": f"{kind}.{arguments.shape}",
                "forwardBackwardTokensPerSecond": round(tokens / statistics.median(gradient_seconds), 2),
                "tokensPerSecond": round(tokens / statistics.median(step_seconds), 2),
                "peakBytes": status_bytes("VmHWM"),
                "importBytes": import_bytes,
                "trainedParameters": sum(p.numel() for p in trained),
                "seq": arguments.seq,
                "batch": arguments.batch,
                "threads": arguments.threads,
                "steps": arguments.steps,
                "torch": torch.__version__,
                "transformers": transformers,
                "peft": peft,
            }
        )
    )


if __name__ == "__main__":
    main()
