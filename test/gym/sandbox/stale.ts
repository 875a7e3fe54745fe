// Started by a test: makes a sandbox in which something runs, says where, and waits to be killed.

import { openLocalSandboxes } from '../../../src/gym/sandbox/index.js';
import { descendants } from '../../../src/gym/sandbox/process-tree.js';
import { supportFiles } from '../../../src/gym/sandbox/support-files.js';

const provider = openLocalSandboxes();
const limits = { seconds: 100, memoryMb: 128, processes: 16, outputKb: 64, diskMb: 8 };
const sandbox = await provider.create({ limits });
const running = sandbox.exec(['sh', '-c', 'setsid sleep 300 & echo >started; sleep 300']);
while ((await sandbox.readFile('started')) === null);
console.log(JSON.stringify({ directory: supportFiles().directory, pids: descendants(process.pid) }));
await running;
