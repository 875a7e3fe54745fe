"""Loads an adapter folder with PEFT on top of a base checkpoint and prints the logits, unmerged; checks that merging keeps them.

    python check_adapter.py DIR BASE --ids 1,2,3
    python check_adapter.py DIR BASE --expect expected.json

The adapter's keys must be exactly those that PEFT itself would write for its adapter_config.json.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from peft import PeftModel
from peft.utils import get_peft_model_state_dict
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

from check_common import add_arguments, expectation, logits_of, report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=Path)
    parser.add_argument("base", type=Path)
    add_arguments(parser)
    arguments = parser.parse_args()

    base = AutoModelForCausalLM.from_pretrained(arguments.base, dtype=torch.float32, attn_implementation="eager")
    ids, expected = expectation(arguments)
    base_logits = logits_of(base.eval(), ids)
    model = PeftModel.from_pretrained(base, arguments.dir).eval()

    # PEFT only warns about keys that it does not know.
    written = load_file(arguments.dir / "adapter_model.safetensors")
    wanted = {name: tuple(value.shape) for name, value in get_peft_model_state_dict(model).items()}
    found = {name: tuple(value.shape) for name, value in written.items()}
    if wanted != found:
        differing = sorted(set(wanted.items()) ^ set(found.items()))
        raise SystemExit(f"{arguments.dir}: these keys or shapes are not on both sides (file, PEFT): {differing}")

    logits = logits_of(model, ids)
    merged = logits_of(model.merge_and_unload(), ids)
    result = {
        "tensors": len(written),
        "ids": ids,
        "changeByAdapter": float(np.abs(logits - base_logits).max()),
        "changeByMerging": float(np.abs(logits - merged).max()),
    }
    report(result, logits, expected, arguments.tolerance)


if __name__ == "__main__":
    main()
