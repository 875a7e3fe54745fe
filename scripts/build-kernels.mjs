// Assembles src/engine/local/kernels/*.wat and writes each as base64 into a TypeScript file beside it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';

const folder = fileURLToPath(new URL('../src/engine/local/kernels', import.meta.url));

export async function assemble(wat, name) {
  const tools = await wabt();
  const parsed = tools.parseWat(name, wat, { simd: true, threads: true });
  return Buffer.from(parsed.toBinary({}).buffer);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.wat'))) {
    const bytes = await assemble(readFileSync(join(folder, file), 'utf8'), file);
    const lines = bytes.toString('base64').match(/.{1,100}/g);
    const text = `// Generated from ${file} by scripts/build-kernels.mjs.\nexport const wasmBase64 =\n${lines
      .map((line) => `  '${line}'`)
      .join(' +\n')};\n`;
    writeFileSync(join(folder, `${basename(file, '.wat')}.wasm.ts`), text);
  }
}
