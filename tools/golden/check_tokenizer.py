"""Loads tokenizer folders with transformers and prints what they make of some texts.  Run:
python tools/golden/check_tokenizer.py DIR…
"""
import json
import sys

from transformers import AutoTokenizer

TEXTS = ["Hello world, 123!", "  naïve café 你好 😀\n\t<|end|> x</s>", "a" * 20]

for folder in sys.argv[1:]:
    tok = AutoTokenizer.from_pretrained(folder)
    named = {name: getattr(tok, name) for name in ("bos_token", "eos_token", "pad_token", "unk_token")}
    ids = [tok(text, add_special_tokens=False)["input_ids"] for text in TEXTS]
    chat = tok.apply_chat_template([{"role": "user", "content": "hi"}], tokenize=False) if tok.chat_template else None
    print(json.dumps({"folder": folder, "ids": ids, "named": named, "chat": chat, "size": len(tok)}))
