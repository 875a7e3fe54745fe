"""Golden files of the tokenizer room: small tokenizers in the style of each model family, with what Python's
`tokenizers` and `transformers` make of a corpus.  Run:  python tools/golden/make_tokenizers.py

Writes test/golden/tokenizers/<family>/tokenizer.json (+ tokenizer_config.json) and <family>.json with
{text, ids, offsets, decoded, …}.  Offsets are converted from code points to UTF-16 units.
"""
import json
import random
import sys
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

OUT = Path(__file__).resolve().parents[2] / "test" / "golden" / "tokenizers"

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")

TRAIN = [
    "The quick brown fox jumps over the lazy dog. The dog sleeps; the fox doesn't.",
    "She said: 'I'll be there, won't I?' They've gone. WE'RE LATE. It's 12:30, isn't it?",
    "def add(a, b):\n    return a + b\n\n\nfor i in range(10):\n\tprint(i, add(i, 1))\n",
    "function f(x) {\r\n  return x * 2;\r\n}\r\n",
    "Question: what is 12 + 34? Answer: 46. What is 1234567 - 89? 1234478.",
    "你好,世界。我们一起学习自然语言处理。日本語のテキストもあります。한국어도 있습니다.",
    "Größe, naïve café, élève, señor, Ångström, Dvořák, crème brûlée.",
    "مرحبا بالعالم، كيف حالك؟ नमस्ते दुनिया, आप कैसे हैं?",
    "Привет, мир! Как дела? Всё хорошо.",
    "Emoji 😀 😃 👍 👩‍💻 🇩🇪 🇫🇷 🎉 are fun 😀😀😀.",
    "  leading spaces,   inner   spaces, trailing  ",
    "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", 42); return 0; }",
    '{"name": "get_weather", "arguments": {"city": "Paris", "unit": "C"}}',
    "<think>\nLet me think about it.\n</think>\n\nThe answer is 42.",
] * 3

CORPUS = [
    "",
    " ",
    "  ",
    "   \n",
    "a",
    "Hello world",
    " Hello world",
    "  Hello   world  ",
    "Hello\tworld\n\nfoo\r\nbar\r\n\r\n  baz",
    "\n",
    "\n\n\n",
    "\t\t\tindent",
    "x \n y \n\n z   \n",
    "def f(x):\n\tif x > 0:\n\t\treturn x\n    return -x\n",
    "The answer is 3.14159, not 1234567890 or ½ ² ٣٤ Ⅷ.",
    "I'll I'LL don't DON'T we've it's 'tis y'all'd've",
    "😀",
    "👩‍👩‍👧‍👦 family, 👍🏽 thumbs, 🇩🇪🇫🇷 flags, ❤️ heart",
    "你好,世界。日本語のテキスト 한국어 텍스트",
    "한글 조합형: \u1112\u1161\u11ab\u1100\u1173\u11af",
    "مرحبا بالعالم ١٢٣ — السَّلَامُ عَلَيْكُم",
    "नमस्ते दुनिया क्षत्रिय १२३ ก็ไก่",
    "cafe\u0301 e\u0301e\u0301 A\u030a a\u0323\u0307 a\u0307\u0323 q\u0307\u0323\u0302 \u1e9b\u0323",
    "caf\u00e9 \u00c5 \u212b \u2126 \ufb01 \u00bd",
    "Z\u0351\u0364\u030a\u0301a\u0321\u0334\u030a\u0300l\u0327\u0301g\u0302\u0323o\u0308\u0304",
    "zero\u200bwidth\u200djoin\u00adsoft\ufeffbom\u2028line\u2029para\u0085next\u00a0nbsp\u3000wide",
    "ſ K it'ſ İ ı ß ẞ Ǆ ǅ",
    "<|begin|>system text<|end|>\n<|begin|>user\nhi <|end|> there<|end|>",
    "text<|end|><|end|>more <|end|>",
    "not special: <|end <|beg in|> |end|>",
    "<s>[INST] hi [/INST] ok </s><s>again</s>",
    "  <s>  spaced  </s>  ",
    "<mask> word<mask>word <mask>, rstrip<tail>   after, <word>single xword <word>x <word>",
    "tool_call: <tool>{\"a\": [1, 2.5, null]}</tool>",
    "▁already ▁▁ marked Ġ Ċ <0x0A> <unk> <pad>",
    "a" * 300,
    "ab" * 150 + " " * 40 + "." * 40 + "\n" * 20,
    "1" * 50 + " " + "12 " * 20,
    "MiXeD CaSe WORDS camelCase snake_case SCREAMING_CASE kebab-case",
    "https://example.com/path?query=1&x=%20#frag user@example.com",
    "𝒳𝒴 𐍈 𠜎 mixed 𝟙𝟚𝟛",
    "control \x00 \x01 \x1f \x7f \x80 \x9f",
    "end with space ",
    "tab\tend\t",
    "ünïcödé Ñandú ĳ œuvre",
    "  \u00a0 \u2003 spaces \u2003\u2003x",
    "(a) [b] {c} <d> \"e\" 'f' `g` «h» “i” — – … !!! ???",
    "for(;;){if(a&&b||!c){x+=1;y-=2;}}//comment\n/* block */",
]


def random_texts(count, seed=7):
    rng = random.Random(seed)
    alphabet = list("abcdeABC  \n\t.,'!<>|0123") + [
        "é", "e\u0301", "ñ", "你", "好", "م", "न", "म", "\u094d", "😀", "\u200d", "🇩", "🇪", "\u00a0", "\r\n", "▁", "<|end|>", "<s>",
        " the", "ing", "\u0323", "\u0307", "\u1100", "\u1161", "\u11a8", "½", "'s", "'LL", "<mask>", "<word>", "<tail>", "\u0085", "\ufeff",
    ]
    return ["".join(rng.choice(alphabet) for _ in range(rng.randint(1, 40))) for _ in range(count)]


def utf16(text, offsets):
    """Code point offsets as UTF-16 offsets."""
    table = [0]
    for char in text:
        table.append(table[-1] + (2 if ord(char) > 0xFFFF else 1))
    return [[table[a], table[b]] for a, b in offsets]


def special(content, **kwargs):
    return AddedToken(content, special=True, normalized=False, **kwargs)


ODD = [
    AddedToken("<mask>", special=True, lstrip=True),
    AddedToken("<tail>", special=True, rstrip=True),
    AddedToken("<word>", special=False, single_word=True, normalized=False),
    AddedToken("<tool>", special=False, normalized=False),
    AddedToken("</tool>", special=False, normalized=True),
]
BYTES = pre_tokenizers.ByteLevel.alphabet()


def byte_level(pre, normalizer=None, post=None, vocab=600, specials=("<|end|>", "<|begin|>", "<pad>"), **model):
    tok = Tokenizer(models.BPE(**model))
    if normalizer:
        tok.normalizer = normalizer
    tok.pre_tokenizer = pre
    tok.decoder = decoders.ByteLevel()
    tok.train_from_iterator(
        TRAIN,
        trainers.BpeTrainer(vocab_size=vocab, initial_alphabet=BYTES, special_tokens=[special(s) for s in specials], show_progress=False),
    )
    if post:
        tok.post_processor = post(tok)
    tok.add_tokens(ODD)
    return tok


def llama3():
    pre = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(LLAMA3), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    post = lambda tok: processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=True),
            processors.TemplateProcessing(single="<|begin|> $A", special_tokens=[("<|begin|>", tok.token_to_id("<|begin|>"))]),
        ]
    )
    return byte_level(pre, post=post, ignore_merges=True)


def qwen2():
    pre = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(QWEN2), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    return byte_level(pre, normalizer=normalizers.NFC(), post=lambda tok: processors.ByteLevel(trim_offsets=False))


def smollm():
    pre = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    return byte_level(pre)


def gpt2():
    pre = pre_tokenizers.ByteLevel(add_prefix_space=True)
    post = lambda tok: processors.ByteLevel(trim_offsets=True, add_prefix_space=True)
    return byte_level(pre, post=post)


def sentencepiece_vocab():
    """A small BPE over ▁-marked words, with byte tokens, in the order that sentencepiece models have."""
    tok = Tokenizer(models.BPE())
    tok.normalizer = normalizers.Replace(" ", "▁")
    tok.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    texts = [text for text in TRAIN[:13] if max(map(ord, text)) < 0x2000]
    tok.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=420, show_progress=False))
    model = json.loads(tok.to_str())["model"]
    pieces = ["<unk>", "<s>", "</s>"] + ["<0x%02X>" % b for b in range(256)]
    pieces += [t for t, _ in sorted(model["vocab"].items(), key=lambda kv: kv[1]) if t not in pieces]
    vocab = {t: i for i, t in enumerate(pieces)}
    # As transformers turns sentencepiece models into merges: every cut of every piece, earlier pieces first.
    normal = {t: i for t, i in vocab.items() if i >= 259}
    merges = []
    for piece in normal:
        cuts = [(piece[:i], piece[i:]) for i in range(1, len(piece))]
        merges += sorted((c for c in cuts if c[0] in normal and c[1] in normal), key=lambda c: (normal[c[0]], normal[c[1]]))
    return vocab, merges


def sentencepiece_style(metaspace):
    vocab, merges = sentencepiece_vocab()
    tok = Tokenizer(models.BPE(vocab=vocab, merges=merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if metaspace:
        tok.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="first", split=False)
    else:
        tok.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tok.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tok.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    tok.add_special_tokens([special(s) for s in ("<unk>", "<s>", "</s>")])
    tok.add_tokens(ODD[:3] + [special("<|end|>")])
    return tok


def metaspace_split():
    vocab, merges = sentencepiece_vocab()
    vocab = {t: i for i, (t, _) in enumerate(sorted(((t, i) for t, i in vocab.items() if not t.startswith("<0x")), key=lambda kv: kv[1]))}
    tok = Tokenizer(models.BPE(vocab=vocab, merges=merges, unk_token="<unk>", fuse_unk=False))
    tok.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Strip(True, False)])
    tok.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tok.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    tok.add_special_tokens([special(s) for s in ("<unk>", "<s>", "</s>")])
    return tok


def falcon():
    """Pre-tokenisers in an odd order, with every way of splitting."""
    pre = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Punctuation("contiguous"),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
            pre_tokenizers.Digits(individual_digits=False),
            pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), "merged_with_previous"),
            pre_tokenizers.Split(Regex("[aeiou]"), "merged_with_next"),
        ]
    )
    return byte_level(pre, normalizer=normalizers.Sequence([normalizers.NFD(), normalizers.Replace(Regex("z+"), "Zz")]))


FAMILIES = {
    "llama3": llama3,
    "qwen2": qwen2,
    "smollm": smollm,
    "gpt2": gpt2,
    "llama2": lambda: sentencepiece_style(False),
    "mistral": lambda: sentencepiece_style(True),
    "metaspace-split": metaspace_split,
    "falcon": falcon,
}

CONFIGS = {
    "llama2": {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": None, "tokenizer_class": "PreTrainedTokenizerFast"},
    "mistral": {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "tokenizer_class": "PreTrainedTokenizerFast"},
}
CONFIG = {
    "bos_token": "<|begin|>",
    "eos_token": {"__type": "AddedToken", "content": "<|end|>", "lstrip": False, "rstrip": False, "normalized": False, "single_word": False},
    "pad_token": "<pad>",
    "tokenizer_class": "PreTrainedTokenizerFast",
}


def record(tok, text):
    plain = tok.encode(text, add_special_tokens=False)
    full = tok.encode(text, add_special_tokens=True)
    entry = {
        "text": text,
        "ids": plain.ids,
        "offsets": [n for pair in utf16(text, plain.offsets) for n in pair],
        "decoded": tok.decode(plain.ids, skip_special_tokens=False),
    }
    if full.ids != plain.ids:
        entry["full"] = full.ids
    skipped = tok.decode(full.ids, skip_special_tokens=True)
    if skipped != entry["decoded"]:
        entry["skipped"] = skipped
    return entry


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n")


def encodings():
    for name, build in FAMILIES.items():
        tok = build()
        folder = OUT / name
        write(folder / "tokenizer.json", json.loads(tok.to_str()))
        config = {} if name == "metaspace-split" else CONFIGS.get(name, CONFIG)
        write(folder / "tokenizer_config.json", config)
        tok = Tokenizer.from_file(str(folder / "tokenizer.json"))
        write(OUT / f"{name}.json", [record(tok, text) for text in CORPUS + random_texts(20)])


def training():
    """What BpeTrainer learns from the corpus: ties in plenty, so that their order is seen."""
    texts = CORPUS + TRAIN + random_texts(15, seed=3)
    cases = []
    for vocab_size, min_frequency, digits in ((700, 0, True), (330, 3, True), (1500, 0, False)):
        byte = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tok = Tokenizer(models.BPE())
        tok.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte]) if digits else byte
        tok.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size, min_frequency=min_frequency, special_tokens=["<|end|>", "<|pad|>"], initial_alphabet=BYTES, show_progress=False
        )
        tok.train_from_iterator(texts, trainer)
        json_text = json.loads(tok.to_str())
        cases.append(
            {
                "vocabSize": vocab_size,
                "minFrequency": min_frequency,
                "preTokenizer": json_text["pre_tokenizer"],
                "vocab": [t for t, _ in sorted(json_text["model"]["vocab"].items(), key=lambda kv: kv[1])],
                "merges": [" ".join(m) for m in json_text["model"]["merges"]],
            }
        )
    write(OUT / "training.json", {"texts": texts, "cases": cases})


if __name__ == "__main__":
    encodings()
    training()
    print("tokenizers written to", OUT, file=sys.stderr)
