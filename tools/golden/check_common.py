"""What the two check scripts share: token ids in, logits out, and the comparison with expected logits."""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ids", help="comma-separated token ids; default 1,2,3,4,5", default="1,2,3,4,5")
    parser.add_argument("--expect", type=Path, help="JSON file {ids: number[], logits: number[][]} to compare with")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="largest allowed |difference| / max(1, |expected|)")


def expectation(arguments) -> tuple[list[int], np.ndarray | None]:
    if arguments.expect is None:
        return [int(i) for i in arguments.ids.split(",")], None
    expected = json.loads(arguments.expect.read_text())
    return expected["ids"], np.asarray(expected["logits"], dtype=np.float64)


def logits_of(model, ids: list[int]) -> np.ndarray:
    with torch.inference_mode():
        return model(input_ids=torch.tensor([ids])).logits[0].double().numpy()


def report(result: dict, logits: np.ndarray, expected: np.ndarray | None, tolerance: float) -> None:
    """Prints one JSON line. With an expectation the exit status is 1 when it is not met, otherwise the logits are in it."""
    if expected is None:
        print(json.dumps({**result, "logits": logits.tolist()}))
        return
    worst = float((np.abs(logits - expected) / np.maximum(1, np.abs(expected))).max())
    print(json.dumps({**result, "worst": worst, "tolerance": tolerance, "ok": worst <= tolerance}))
    sys.exit(0 if worst <= tolerance else 1)
