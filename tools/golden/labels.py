"""Golden labels of chat conversations.

Trains a small byte-level BPE tokenizer, renders conversations with Jinja templates and labels them by comparing two
renderings per turn: the real one, and one whose last turn is a placeholder. Writes test/golden/labels/tokenizer.json and
test/golden/labels/cases.json.

    python tools/golden/labels.py
"""

import json
import pathlib

from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

OUT = pathlib.Path(__file__).resolve().parents[2] / "test" / "golden" / "labels"

SPECIALS = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>",
    "<|eot_id|>", "<think>", "</think>", "<tool_call>", "</tool_call>",
]

CORPUS = [
    "The quick brown fox jumps over the lazy dog. What is two plus two? It is four, and four plus four is eight.",
    "def add(a, b):\n    return a + b\n\nprint(add(1, 2))\n",
    "user assistant system tool You are a helpful assistant. Hello! How can I help you today?\n\n",
    "The weather in Paris is sunny with 21 degrees. The capital of France is Paris. Thank you very much.",
    '{"name": "get_weather", "arguments": {"city": "Paris"}}\n{"temperature": 21}\n',
    "Let me think about this step by step. First we add the numbers, then we check the answer.",
    "Größe, naïve, 你好世界, emoji 🙂🎉, and a line\nbreak\n\n\nwith   spaces.",
] * 4

TEMPLATES = {
    "chatml": (
        "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
    ),
    "llama3": (
        "{{ bos_token }}{% for m in messages %}"
        "{{ '<|start_header_id|>' + m['role'] + '<|end_header_id|>\\n\\n' + m['content'] | trim + '<|eot_id|>' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}"
    ),
    "bracket": (
        "{% for m in messages %}{% if m['role'] == 'assistant' %}{{ ' ' + m['content'] + eos_token + '\\n' }}"
        "{% else %}{{ '[' + m['role'] + '] ' + m['content'] + ' [/' + m['role'] + ']' }}{% endif %}{% endfor %}"
    ),
    "qwen": (
        "{% if tools %}{{ '<|im_start|>system\\n' }}{% if messages[0].role == 'system' %}{{ messages[0].content + '\\n\\n' }}{% endif %}"
        "{{ 'Tools:' }}{% for t in tools %}{{ '\\n' + (t | tojson) }}{% endfor %}{{ '<|im_end|>\\n' }}"
        "{% elif messages[0].role == 'system' %}{{ '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}{% endif %}"
        "{% for m in messages %}"
        "{% if m.role == 'assistant' %}{{ '<|im_start|>assistant\\n' }}"
        "{% if m.reasoning_content %}{{ '<think>\\n' + m.reasoning_content + '\\n</think>\\n\\n' }}{% endif %}"
        "{% if m.content %}{{ m.content }}{% endif %}"
        "{% for call in m.tool_calls or [] %}{% if not loop.first or m.content %}{{ '\\n' }}{% endif %}"
        "{{ '<tool_call>\\n{\"name\": \"' + call.function.name + '\", \"arguments\": ' + (call.function.arguments | tojson) + '}\\n</tool_call>' }}"
        "{% endfor %}{{ '<|im_end|>\\n' }}"
        "{% elif m.role == 'tool' %}{{ '<|im_start|>user\\n<tool_response>\\n' + m.content + '\\n</tool_response><|im_end|>\\n' }}"
        "{% elif m.role != 'system' or not loop.first %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endif %}"
        "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
    ),
}

PLACEHOLDER = "[[dummy_message]]"


def train_tokenizer():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=700, special_tokens=SPECIALS, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


class Labeller:
    """One template, one end-of-sequence token and one set of options."""

    def __init__(self, tokenizer, template, eos, options):
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
        self.tokenizer = tokenizer
        self.template = environment.from_string(TEMPLATES[template])
        self.eos = eos
        self.options = options

    def ids(self, turns, tools):
        text = self.template.render(
            messages=turns, tools=tools, bos_token="<|begin_of_text|>", eos_token=self.eos, add_generation_prompt=False
        )
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def content_span(self, turns, number, tools):
        real = self.ids(turns[: number + 1], tools)
        dummy = self.ids(turns[:number] + [{"role": turns[number]["role"], "content": PLACEHOLDER}], tools)
        shorter = min(len(real), len(dummy))
        start = next((at for at in range(shorter) if real[at] != dummy[at]), None)
        back = next((at for at in range(1, shorter + 1) if real[-at] != dummy[-at]), None)
        if start is None or back is None:
            return None
        end = len(real) - back + 1
        return (start, end) if end > start else None

    def label(self, turns, tools):
        options = self.options
        ids = self.ids(turns, tools)
        labels = [-100] * len(ids)
        on_eos = options.get("train_on_eos", "turn")
        on_eot = options.get("train_on_eot") or on_eos
        single = lambda text: self.tokenizer.token_to_id(text)
        eos_ids = {single(self.eos)}
        eot_ids = {single(text) for text in options.get("eot_tokens") or [self.eos]}
        last = {"eot": -1, "eos": -1}
        flag_key = options.get("message_field_training")

        for number, turn in enumerate(turns):
            flag = turn.get(flag_key) if flag_key else None
            trains = options.get("train_on_inputs", False) or turn["role"] in options.get("roles_to_train", ["assistant"])
            if flag is not None:
                trains = flag
            if not trains and "all" not in (on_eos, on_eot):
                continue
            span = self.content_span(turns, number, tools)
            if span is None:
                continue
            start, end = span
            if trains:
                labels[start:end] = ids[start:end]
            for kind, wanted, rule in (("eot", eot_ids, on_eot), ("eos", eos_ids, on_eos)):
                at = next((at for at in range(end, len(ids)) if ids[at] in wanted), None)
                if at is None or at - end > 3:
                    continue
                last[kind] = at
                if rule == "all" or (rule == "turn" and trains):
                    labels[at] = ids[at]
        for kind, rule in (("eot", on_eot), ("eos", on_eos)):
            if rule == "last" and last[kind] >= 0:
                labels[last[kind]] = ids[last[kind]]
        return ids, labels


PLAIN = [
    {"role": "system", "content": "You are a helpful assistant."},
    {"role": "user", "content": "What is two plus two?"},
    {"role": "assistant", "content": "It is four."},
    {"role": "user", "content": "def add(a, b):\n    return a + b"},
    {"role": "assistant", "content": "Größe, 你好世界 🙂🎉\n\nThank you."},
]
FLAGGED = [
    {"role": "user", "content": "Hello!"},
    {"role": "assistant", "content": "How can I help you?", "learn": False},
    {"role": "user", "content": "What is the capital of France?", "learn": True},
    {"role": "assistant", "content": "Paris."},
]
THINKING = [
    {"role": "system", "content": "Think first."},
    {"role": "user", "content": "What is four plus four?"},
    {"role": "assistant", "reasoning_content": "First we add the numbers.", "content": "It is eight."},
]
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {}}}}]
CALLING = [
    {"role": "user", "content": "What is the weather in Paris?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris"}}}],
    },
    {"role": "tool", "content": '{"temperature": 21}'},
    {"role": "assistant", "content": "It is sunny with 21 degrees."},
    {"role": "user", "content": "And now?"},
    {
        "role": "assistant",
        "content": "Let me check.",
        "tool_calls": [
            {"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris"}}},
            {"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris", "hour": 2}}},
        ],
    },
]


def cases():
    ends = {"chatml": "<|im_end|>", "llama3": "<|eot_id|>", "bracket": "<|endoftext|>", "qwen": "<|im_end|>"}
    option_sets = [
        {},
        {"roles_to_train": ["user"]},
        {"roles_to_train": ["assistant", "system"]},
        {"train_on_inputs": True},
        {"train_on_eos": "all"},
        {"train_on_eos": "last"},
        {"train_on_eos": "none"},
        {"train_on_eos": "last", "train_on_inputs": True},
    ]
    for template, eos in ends.items():
        for options in option_sets:
            yield template, eos, options, PLAIN, None
        yield template, eos, {"message_field_training": "learn"}, FLAGGED, None
    yield "chatml", "<|endoftext|>", {}, PLAIN, None
    yield "chatml", "<|endoftext|>", {"eot_tokens": ["<|im_end|>"]}, PLAIN, None
    yield "chatml", "<|endoftext|>", {"eot_tokens": ["<|im_end|>"], "train_on_eot": "all"}, PLAIN, None
    yield "chatml", "<|endoftext|>", {"eot_tokens": ["<|im_end|>"], "train_on_eot": "last", "train_on_eos": "all"}, PLAIN, None
    yield "qwen", "<|im_end|>", {}, THINKING, None
    yield "qwen", "<|im_end|>", {}, CALLING, TOOLS
    yield "qwen", "<|im_end|>", {"roles_to_train": ["assistant", "tool"]}, CALLING, TOOLS


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    tokenizer = train_tokenizer()
    tokenizer.save(str(OUT / "tokenizer.json"), pretty=False)
    written = []
    for template, eos, options, messages, tools in cases():
        ids, labels = Labeller(tokenizer, template, eos, options).label(messages, tools)
        row = {"messages": messages, **({"tools": tools} if tools else {})}
        written.append({"template": template, "eos": eos, "options": options, "row": row, "ids": ids, "labels": labels})
    text = ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in written)
    templates = json.dumps(TEMPLATES, indent=1)
    (OUT / "cases.json").write_text(f'{{"templates": {templates},\n"cases": [\n{text}\n]}}\n', encoding="utf-8")
    print(f"{len(written)} cases, {tokenizer.get_vocab_size()} tokens")


if __name__ == "__main__":
    main()
