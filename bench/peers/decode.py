"""Eager PyTorch peer of the decoding bench: one JSON line with tokens per second.

    python decode.py --shape 135m --batch 32
    python decode.py --shape 135m --batch 1 --prompt 512 --new 1      # prefill only

transformers' `generate` where installed, otherwise the twin in models.py with a preallocated key-value cache (`--twin` asks
for it). Random prompt tokens, sampling at temperature 1, no end-of-sequence token, float32. Prefill lasts until the
logits of the first new token are there; decoding from then until the logits of the last one. Medians over the rounds after
one warm-up round.
"""

import argparse
import json
import statistics
import time

import torch

from models import SHAPES, Twin, hugging_face_model, transformers_version


def hugging_face_round(model, ids, new: int, cache: str) -> list[float]:
    """The time at the start, and at which the logits of each new token were there."""
    from transformers import LogitsProcessor, LogitsProcessorList

    class Clock(LogitsProcessor):
        def __call__(self, input_ids, scores):
            times.append(time.perf_counter())
            return scores

    times = [time.perf_counter()]
    output = model.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        do_sample=True,
        temperature=1.0,
        top_k=0,
        top_p=1.0,
        min_new_tokens=None,
        max_new_tokens=new,
        eos_token_id=None,
        cache_implementation=None if cache == "dynamic" else cache,
        logits_processor=LogitsProcessorList([Clock()]),
    )
    assert output.shape[1] == ids.shape[1] + new
    return times


def twin_round(model: Twin, ids, new: int) -> list[float]:
    s, (batch, prompt) = model.s, ids.shape
    times = [time.perf_counter()]
    caches = torch.empty(s.layers, 2, batch, s.kv_heads, prompt + new, s.head_dim)
    tokens, start = ids, 0
    for _ in range(new):
        hidden = model.hidden(tokens, caches, start)[:, -1]
        logits = torch.nn.functional.linear(hidden, model.embed.weight)
        times.append(time.perf_counter())
        start += tokens.shape[1]
        tokens = torch.multinomial(torch.softmax(logits, dim=-1), 1)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", choices=list(SHAPES), default="135m")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--prompt", type=int, default=64)
    parser.add_argument("--new", type=int, default=128)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cache", choices=["dynamic", "static"], default="dynamic", help="transformers' key-value cache")
    parser.add_argument("--twin", action="store_true", help="the plain twin even where transformers is installed")
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(0)
    transformers = None if arguments.twin else transformers_version()
    shape = SHAPES[arguments.shape]
    model = (hugging_face_model(shape) if transformers else Twin(shape)).eval()

    prefill_seconds, decode_seconds = [], []
    with torch.inference_mode():
        for round_number in range(1 + arguments.rounds):
            ids = torch.randint(shape.vocab, (arguments.batch, arguments.prompt))
            if transformers:
                times = hugging_face_round(model, ids, arguments.new, arguments.cache)
            else:
                times = twin_round(model, ids, arguments.new)
            if round_number > 0:
                prefill_seconds.append(times[1] - times[0])
                decode_seconds.append(times[-1] - times[1])

    decoding = arguments.new > 1
    result = {
        "bench": f"decode.b{arguments.batch}.{arguments.shape}" if decoding else f"prefill.{arguments.shape}",
        "prefillTokensPerSecond": round(arguments.batch * arguments.prompt / statistics.median(prefill_seconds), 2),
    }
    if decoding:
        seconds = statistics.median(decode_seconds)
        result["decodeTokensPerSecond"] = round(arguments.batch * (arguments.new - 1) / seconds, 2)
    print(
        json.dumps(
            {
                **result,
                "batch": arguments.batch,
                "prompt": arguments.prompt,
                "new": arguments.new,
                "threads": arguments.threads,
                "rounds": arguments.rounds,
                "cache": arguments.cache if transformers else "preallocated",
                "torch": torch.__version__,
                "transformers": transformers,
            }
        )
    )


if __name__ == "__main__":
    main()
