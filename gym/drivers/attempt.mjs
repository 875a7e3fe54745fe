// One attempt at the calls of a job in a process that driver.mjs serves, seen from the trusted side: keeps the times and bounds what is read.
import { Buffer } from 'node:buffer';
import { constants } from 'node:os';

const maxChannelBytes = 32 * 2 ** 20;

/** A process that this one started, as `attempt` wants it. */
export function startedHere(child) {
  const gone = new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`node could not be started: ${error.message}`)));
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `killed by ${signal}`));
  });
  gone.catch(() => {});
  const kill = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
  };
  return { channel: child.stdio[3], stdout: child.stdout, stderr: child.stderr, gone, kill };
}

/** The exit status that a shell gives, in words. */
export function statusInWords(status) {
  const name = Object.entries(constants.signals).find(([, number]) => number === status - 128)?.[0];
  return name === undefined ? `exit code ${status}` : `killed by ${name}`;
}

/** The first bytes of a stream; the rest is read and dropped. */
export function keepStart(stream, maxBytes) {
  const pieces = [];
  let held = 0;
  const add = (piece) => {
    if (held >= maxBytes) return;
    pieces.push(piece.subarray(0, maxBytes - held));
    held += pieces.at(-1).length;
  };
  stream.on('data', add);
  return {
    text: () => Buffer.concat(pieces).toString(),
    stop: () => stream.off('data', add),
  };
}

/**
 * Sends the job and collects lines until all calls are answered, a time is up, or the process is gone. Afterwards the process is dead,
 * except with `keep` and all calls answered.
 */
export async function attempt(target, job, { keep, hello = true }) {
  const { channel, stdout, stderr } = target;
  const wanted = job.calls.length + 1;
  const outputs = [stdout, stderr].map((stream) => keepStart(stream, job.output_kb * 1024));
  const pieces = [];
  let bytes = 0;
  let seen = hello ? -1 : 0;
  let started = 0;
  let timer;
  const end = await new Promise((resolve, reject) => {
    const expect = (seconds) => {
      clearTimeout(timer);
      const left = job.total_seconds - (performance.now() - started) / 1000;
      timer = setTimeout(resolve, Math.max(0, Math.min(seconds, left)) * 1000, left <= seconds ? 'total-time' : 'time');
    };
    const send = () => {
      started = performance.now();
      // Loading may take as long as a call, and two seconds at least.
      expect(Math.max(job.case_seconds, 2));
      const body = Buffer.from(JSON.stringify(job));
      const head = Buffer.alloc(4);
      head.writeUInt32BE(body.length);
      channel.write(Buffer.concat([head, body]));
    };
    channel.on('data', (piece) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > maxChannelBytes) return resolve('flood');
      const before = seen;
      for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) seen++;
      if (before < 0 && seen >= 0) send();
      else if (seen > before) expect(job.case_seconds);
      if (seen >= wanted) resolve('done');
      // A module that did not load says so, and then there is nothing to wait for.
      else if (before <= 0 && seen === 1 && !Buffer.concat(pieces).toString().includes('["ready"]\n')) resolve('unloaded');
    });
    // Its last words first; a process that got away may hold the channel open.
    target.gone.then(() => Promise.race([closed(channel), wait(500)])).then(() => resolve('ended'), reject);
    target.onMemory?.(() => resolve('memory'));
    if (hello) timer = setTimeout(() => reject(new Error('node did not start within 30 s')), 30_000);
    else send();
  }).finally(() => {
    clearTimeout(timer);
    channel.removeAllListeners('data');
    if (!keep) target.kill();
  });
  const ms = performance.now() - started;
  let detail = '';
  if (end === 'ended') detail = await target.gone;
  if (keep && end !== 'done' && end !== 'unloaded') target.kill();
  if (!keep) await Promise.race([Promise.all([stdout, stderr].map(closed)), target.gone.catch(() => {}).then(() => wait(500))]);
  for (const output of outputs) output.stop();
  const [out, err] = outputs.map((output) => output.text());
  if (hello && seen < 0) throw new Error(`node ended before it could take a job (${detail})${err === '' ? '' : `: ${err.slice(0, 500)}`}`);
  const lines = Buffer.concat(pieces).toString().split('\n').slice(hello ? 1 : 0, -1);
  return {
    lines: lines.slice(0, wanted),
    end: end === 'unloaded' ? 'done' : end === 'ended' && err.includes('heap out of memory') ? 'memory' : end,
    detail,
    stdout: out,
    stderr: err,
    ms,
  };
}

const closed = (stream) => (stream.closed || stream.destroyed ? undefined : new Promise((resolve) => stream.once('close', resolve)));
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
