import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile, input } from '../../src/graph/index.js';

/** Chromium's software Vulkan device, for machines without a graphics card. */
const softwareDevice = '/usr/lib/chromium/vk_swiftshader_icd.json';

/**
 * Looks for a WebGPU adapter and makes it the one that this process uses. Null when there is one, else the reason for
 * there being none. It looks from another process, as a failing driver may take its process with it.
 */
export function findWebgpuAdapter(): string | null {
  const program = Buffer.from(compile({ y: input('x', 'float32', [1]) }).onnx).toString('base64');
  const script = `
    const ort = require('onnxruntime-node');
    ort.InferenceSession.create(Buffer.from('${program}', 'base64'), { executionProviders: ['webgpu'] })
      .then(() => process.exit(0), (error) => { console.error(error.message); process.exit(1); });`;
  const software = existsSync(softwareDevice) ? [{ VK_ICD_FILENAMES: softwareDevice }] : [];
  let reason = '';
  for (const variables of [{}, ...software]) {
    try {
      const cwd = fileURLToPath(new URL('../..', import.meta.url));
      execFileSync(process.execPath, ['-e', script], { cwd, env: { ...process.env, ...variables }, stdio: 'pipe' });
      Object.assign(process.env, variables);
      return null;
    } catch (error) {
      const said = String((error as { stderr?: unknown }).stderr ?? error);
      reason = said.trim().split('\n').at(-1)!;
    }
  }
  return `no WebGPU adapter: ${reason}`;
}
