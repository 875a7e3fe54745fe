import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTokenizer } from '../../src/tokenizer/index.js';

interface Golden {
  readonly text: string;
  readonly ids: number[];
  readonly offsets: number[];
  readonly decoded: string;
  /** With what the post-processor adds, where that differs. */
  readonly full?: number[];
  readonly skipped?: string;
}

const GOLDEN = join(import.meta.dirname, '../golden/tokenizers');
const families = readdirSync(GOLDEN, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

describe.each(families)('%s tokenizer agrees with Python tokenizers', async (family) => {
  const tokenizer = await loadTokenizer(join(GOLDEN, family));
  const cases: Golden[] = JSON.parse(readFileSync(join(GOLDEN, `${family}.json`), 'utf8'));

  test('ids', () => {
    for (const { text, ids, full = ids } of cases) {
      expect([text, tokenizer.encode(text)]).toEqual([text, ids]);
      expect([text, tokenizer.encode(text, { addSpecialTokens: true })]).toEqual([text, full]);
    }
  });

  test('offsets', () => {
    for (const { text, ids, offsets } of cases) {
      const encoding = tokenizer.encodeWithOffsets(text);
      expect([text, encoding.ids, encoding.offsets.flat()]).toEqual([text, ids, offsets]);
    }
  });

  test('decoded text', () => {
    for (const { ids, full = ids, decoded, skipped = decoded } of cases) {
      expect(tokenizer.decode(ids)).toBe(decoded);
      expect(tokenizer.decode(Int32Array.from(full), { skipSpecialTokens: true })).toBe(skipped);
    }
  });
});
