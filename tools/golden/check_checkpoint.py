"""Loads a checkpoint folder with AutoModelForCausalLM, and its tokenizer if there is one, and prints the logits.

    python check_checkpoint.py DIR --ids 1,2,3
    python check_checkpoint.py DIR --expect expected.json
    python check_checkpoint.py DIR --text "Hello" [--chat]

Unexpected, missing and mismatched weights are errors.
"""

import argparse
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from check_common import add_arguments, expectation, logits_of, report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=Path)
    parser.add_argument("--text", help="use the ids of this text instead, by the checkpoint's own tokenizer")
    parser.add_argument("--chat", action="store_true", help="put the text into one user turn of the chat template")
    add_arguments(parser)
    arguments = parser.parse_args()

    model, info = AutoModelForCausalLM.from_pretrained(
        arguments.dir, dtype=torch.float32, attn_implementation="eager", output_loading_info=True
    )
    problems = {key: sorted(map(str, value)) for key, value in info.items() if value}
    if problems:
        raise SystemExit(f"{arguments.dir}: the weights do not fit the model: {problems}")

    result = {"model": type(model).__name__, "parameters": sum(p.numel() for p in model.parameters())}
    ids, expected = expectation(arguments)
    if any((arguments.dir / name).exists() for name in ("tokenizer.json", "tokenizer_config.json")):
        tokenizer = AutoTokenizer.from_pretrained(arguments.dir)
        result["tokenizer"] = {
            "class": type(tokenizer).__name__,
            "size": len(tokenizer),
            "special": {k: str(v) for k, v in tokenizer.special_tokens_map.items()},
            "chat_template": tokenizer.chat_template is not None,
        }
        if arguments.text is not None:
            text = arguments.text
            if arguments.chat:
                turn = [{"role": "user", "content": text}]
                text = tokenizer.apply_chat_template(turn, tokenize=False, add_generation_prompt=True)
                result["rendered"] = text
            ids = tokenizer.encode(text, add_special_tokens=not arguments.chat)
    elif arguments.text is not None:
        raise SystemExit(f"{arguments.dir} has no tokenizer; give --ids")
    result["ids"] = ids
    report(result, logits_of(model.eval(), ids), expected, arguments.tolerance)


if __name__ == "__main__":
    main()
