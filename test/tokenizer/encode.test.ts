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

  test.each(cases.map((golden) => [golden.text.slice(0, 40), golden] as const))('ids of %j', (_, golden) => {
    expect(tokenizer.encode(golden.text)).toEqual(golden.ids);
    expect(tokenizer.encode(golden.text, { addSpecialTokens: true })).toEqual(golden.full ?? golden.ids);
  });

  test.each(cases.map((golden) => [golden.text.slice(0, 40), golden] as const))('offsets of %j', (_, golden) => {
    const encoding = tokenizer.encodeWithOffsets(golden.text);
    expect(encoding.ids).toEqual(golden.ids);
    expect(encoding.offsets.flat()).toEqual(golden.offsets);
  });

  test.each(cases.map((golden) => [golden.text.slice(0, 40), golden] as const))('decoded text of %j', (_, golden) => {
    expect(tokenizer.decode(golden.ids)).toBe(golden.decoded);
    const full = golden.full ?? golden.ids;
    expect(tokenizer.decode(Int32Array.from(full), { skipSpecialTokens: true })).toBe(golden.skipped ?? golden.decoded);
  });
});
