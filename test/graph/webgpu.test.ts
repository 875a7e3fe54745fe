import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { opRows } from './op-rows.js';
import type { WebGpuReport } from './webgpu-child.js';

/** A Vulkan driver that needs no GPU; Debian's chromium package brings it. */
const swiftShader = '/usr/lib/chromium/vk_swiftshader_icd.json';

interface Outcome {
  readonly lines: readonly Partial<WebGpuReport & { adapter: true; noAdapter: string; done: true }>[];
  readonly errors: string;
}

async function runChild(): Promise<Outcome> {
  const env = { ...process.env };
  if (!env.VK_ICD_FILENAMES && existsSync(swiftShader)) env.VK_ICD_FILENAMES = swiftShader;
  const script = fileURLToPath(new URL('./webgpu-child.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  await new Promise((resolve) => child.on('close', resolve));
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return { lines: lines.map((line) => JSON.parse(line)), errors };
}

it('on WebGPU every op has its values and gradients, and only integer arithmetic on the CPU', async ({ skip }) => {
  const { lines, errors } = await runChild();
  if (!lines[0]?.adapter) {
    const reason = `no WebGPU adapter: ${lines[0]?.noAdapter ?? errors}`;
    console.log(`skipped, ${reason}`);
    skip(reason);
  }
  expect(lines.at(-1), errors).toEqual({ done: true });
  const reports = lines.slice(1, -1) as WebGpuReport[];
  expect(new Set(reports.map(({ label }) => label)).size).toBe(new Set(opRows.map(({ label }) => label)).size);
  for (const { label, worst, output, cpuNodes } of reports) {
    expect(worst, `${label}: ${output}`).toBeLessThan(1e-4);
    const others = cpuNodes.filter(({ inputs }) => inputs.some((type) => Object.keys(type).join() !== 'int64'));
    expect(others, `${label}: nodes left to the CPU`).toEqual([]);
    // Sizes, row numbers and positions: never as many elements as a tensor has.
    const shapes = cpuNodes.flatMap(({ inputs }) => inputs.map((type) => Object.values(type)[0]!));
    expect(shapes.filter((shape) => shape.length > 2)).toEqual([]);
  }
});
