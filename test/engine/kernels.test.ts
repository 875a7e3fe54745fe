import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error a plain script without types
import { assemble } from '../../scripts/build-kernels.mjs';
import { wasmBase64 } from '../../src/engine/local/kernels/optimizer.wasm.js';

it('the embedded kernel is what its source assembles to', async () => {
  const source = new URL('../../src/engine/local/kernels/optimizer.wat', import.meta.url);
  const bytes: Buffer = await assemble(readFileSync(source, 'utf8'), 'optimizer.wat');
  expect(wasmBase64).toBe(bytes.toString('base64'));
});
