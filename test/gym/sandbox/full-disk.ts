// Started by a test with TMPDIR on a tiny file system: prints how a sandbox ends there.
import { openLocalSandboxes, SandboxError } from '../../../src/gym/sandbox/index.js';

const limits = { seconds: 20, memoryMb: 128, processes: 16, outputKb: 64, diskMb: 8 };
const ended = async (what: Promise<unknown>) => {
  try {
    return JSON.stringify(await what);
  } catch (error) {
    return error instanceof SandboxError ? `SandboxError ${error.reason}: ${error.message}` : String(error);
  }
};
const provider = openLocalSandboxes();
const sandbox = await provider.create({ limits });
const results = [
  await ended(sandbox.exec(['sh', '-c', 'head -c 4000000 /dev/zero >big'])),
  await ended(sandbox.writeFile('more', new Uint8Array(100_000))),
  await ended(provider.create({ limits, files: { more: new Uint8Array(1_000_000) } })),
];
await provider.dispose();
process.stdout.write(JSON.stringify(results));
