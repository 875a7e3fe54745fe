import { randomBytes } from 'node:crypto';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A trace that an answer left outside of its sandbox. */
interface Touch {
  /** Of the attack that did it; null where it cannot be told. */
  readonly token: string | null;
  readonly how: string;
}

/**
 * Things outside of every sandbox that no answer may reach: a folder that all may write, with a secret in it and in the environment;
 * listeners for TCP, UDP and Unix sockets; the list of processes.
 */
export interface Canary {
  readonly directory: string;
  /** What the secret begins with. The secret itself stands in no attack's text. */
  readonly mark: string;
  readonly secret: string;
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly abstractName: string;
  /** A name for one attack, which it gives to its processes, files and messages. At most 15 characters, as a process's name. */
  newToken(): string;
  /** What was touched since the last call. Waits a little for processes that are on their way out. */
  touched(): Promise<readonly Touch[]>;
  close(): Promise<void>;
}

const secretVariable = 'ANNEAL_QA_SECRET';
/** How long a killed process may take to leave the list. */
const leavingSeconds = 3;

export async function openCanary(): Promise<Canary> {
  const directory = await mkdtemp(join(tmpdir(), 'anneal-qa-'));
  await chmod(directory, 0o777);
  const run = randomBytes(3).toString('hex');
  const mark = `anneal-qa-${run}-`;
  const secret = mark + randomBytes(16).toString('hex');
  await writeFile(join(directory, 'secret'), secret, { mode: 0o666 });
  const before = process.env[secretVariable];
  process.env[secretVariable] = secret;

  const prefix = `aq${run}`;
  const token = new RegExp(`${prefix}\\d+z`);
  const touches: Touch[] = [];
  const heard = (how: string) => (text: string) => touches.push({ token: token.exec(text)?.[0] ?? null, how });
  const abstractName = `anneal-qa-${run}`;
  const tcp = await listen({ port: 0, host: '0.0.0.0' }, heard('connected to a TCP port of the machine'));
  const unix = await listen({ path: join(directory, 'socket') }, heard('connected to a Unix socket of the machine'));
  await chmod(join(directory, 'socket'), 0o777);
  const abstract =
    process.platform === 'linux'
      ? await listen({ path: `\0${abstractName}` }, heard('connected to an abstract socket of the machine'))
      : null;
  const udp: UdpSocket = createSocket('udp4').on('message', (text) =>
    heard('sent to a UDP port of the machine')(String(text)),
  );
  udp.bind(0);
  await once(udp, 'listening');
  const known = new Set(['secret', 'socket']);
  let tokens = 0;

  async function inFolder(): Promise<void> {
    for (const name of await readdir(directory)) {
      if (known.has(name)) continue;
      known.add(name);
      heard('wrote a file outside of the sandbox')(name);
    }
    const text = await readFile(join(directory, 'secret'), 'utf8').catch(() => '');
    if (text === secret) return;
    heard('changed a file outside of the sandbox')(text);
    await writeFile(join(directory, 'secret'), secret);
  }

  async function stillRunning(): Promise<string[]> {
    if (process.platform !== 'linux') return [];
    for (const end = performance.now() + leavingSeconds * 1000; ; await delay(100)) {
      const found = await processesNamed(token);
      if (found.length === 0 || performance.now() > end) return found;
    }
  }

  return {
    directory,
    mark,
    secret,
    tcpPort: (tcp.address() as AddressInfo).port,
    udpPort: udp.address().port,
    abstractName,
    newToken: () => `${prefix}${tokens++}z`,
    async touched() {
      for (const name of await stillRunning()) touches.push({ token: name, how: 'left a process running' });
      await inFolder();
      return touches.splice(0);
    },
    async close() {
      if (before === undefined) delete process.env[secretVariable];
      else process.env[secretVariable] = before;
      for (const server of [tcp, unix, abstract]) server?.close();
      udp.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function listen(
  where: { port: number; host: string } | { path: string },
  heard: (text: string) => void,
): Promise<Server> {
  const server = createServer((line: Socket) => {
    let text = '';
    line.on('data', (chunk) => {
      text += String(chunk);
    });
    line.on('error', () => undefined);
    line.on('close', () => heard(text));
    line.setTimeout(500, () => line.destroy());
  });
  server.unref();
  server.listen(where);
  await once(server, 'listening');
  return server;
}

/** The tokens in names and command lines of processes. */
async function processesNamed(token: RegExp): Promise<string[]> {
  const found = new Set<string>();
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue;
    for (const name of ['comm', 'cmdline']) {
      const text = await readFile(`/proc/${pid}/${name}`, 'latin1').catch(() => '');
      const match = token.exec(text)?.[0];
      if (match !== undefined) found.add(match);
    }
  }
  return [...found];
}
