// Run as another user: tries all attacks and prints what got through, by name.
import { openLocalSandboxes } from '../../../src/gym/sandbox/index.js';
import { attackNames, attacks, resultOf } from './attacks.js';

const provider = openLocalSandboxes();
const { missing } = await provider.capabilities();
const results: [string, string | null][] = [];
for (const name of attackNames) results.push([name, await resultOf(attacks[name]!, provider)]);
await provider.dispose();
process.stdout.write(JSON.stringify({ user: process.getuid?.(), missing, results: Object.fromEntries(results) }));
