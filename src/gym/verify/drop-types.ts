import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { gymAsset } from '../assets.js';

/** An ordinary answer takes a hundredth of a second. */
const mostMs = 3000;
const resourceLimits = { maxOldGenerationSizeMb: 512 };

let thread: Worker | null = null;
let last: Promise<unknown> = Promise.resolve();

/**
 * TypeScript without its types: nothing is checked. The text may be hostile; what takes too long or too much memory is ended.
 * @throws SyntaxError when it does not parse
 */
export async function dropTypes(text: string): Promise<string> {
  const own = last.then(() => drop(text));
  last = own.catch(() => {});
  return own;
}

async function drop(text: string): Promise<string> {
  const worker = thread ?? start();
  thread = null;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), mostMs);
  worker.ref();
  let said: { readonly code?: string; readonly problem?: string };
  try {
    const reply = once(worker, 'message', { signal: timeout.signal });
    worker.postMessage(text);
    [said] = (await reply) as [typeof said];
  } catch {
    await worker.terminate();
    throw new SyntaxError('its types take too long to read');
  } finally {
    clearTimeout(timer);
  }
  worker.unref();
  thread = worker;
  if (said.code === undefined) throw new SyntaxError(said.problem);
  return said.code;
}

function start(): Worker {
  const worker = new Worker(gymAsset('drivers/drop-types.mjs'), { resourceLimits });
  worker.on('error', () => {});
  worker.once('exit', () => {
    if (thread === worker) thread = null;
  });
  return worker;
}
