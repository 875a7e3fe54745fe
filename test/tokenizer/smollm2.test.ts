import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTokenizer, type Tokenizer, tokenizerFromGguf } from '../../src/tokenizer/index.js';

// Made by tools/golden/smollm2_tokenizer.py: the vocabulary is too large to keep beside the tests.
const dir = process.env.ANNEAL_SMOLLM2;
const reason = dir ? '' : ' (skipped: set ANNEAL_SMOLLM2 to the folder that tools/golden/smollm2_tokenizer.py wrote)';

test.skipIf(!dir)(`the tokenizer of SmolLM2 tokenises as in Python${reason}`, () => {
  const read = (name: string) => JSON.parse(readFileSync(join(dir!, name), 'utf8'));
  const fromGguf = tokenizerFromGguf(new Map(Object.entries(read('metadata.json'))));
  const fromJson = createTokenizer({ tokenizerJson: read('tokenizer.json') });
  const records: { text: string; ids: number[]; offsets: number[]; decoded: string }[] = read('records.json');
  const check = (tokenizer: Tokenizer) => {
    for (const { text, ids, offsets, decoded } of records) {
      const encoding = tokenizer.encodeWithOffsets(text);
      expect([text, encoding.ids]).toEqual([text, ids]);
      expect([text, encoding.offsets.flat()]).toEqual([text, offsets]);
      expect(tokenizer.decode(ids)).toBe(decoded);
    }
  };
  check(fromGguf);
  check(fromJson);
  const conversation = [{ role: 'user', content: 'Hi' }];
  expect(fromGguf.chatTemplate!.render(conversation)).toContain('<|im_start|>user\nHi<|im_end|>\n');
});
