import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from './bubblewrap.js';
import { interpreters } from './interpreters.js';
import { supportFiles } from './support-files.js';
import type { ExecResult, Sandbox, SandboxCapabilities, SandboxLimits, SandboxProvider } from './types.js';

/** One protection: `inForce` is null where the attack on it failed, otherwise what got through. */
interface Finding {
  readonly protection: string;
  readonly gotThrough: string | null;
}

const limits: SandboxLimits = { seconds: 20, memoryMb: 96, processes: 8, outputKb: 64, diskMb: 8 };

/** Attacks the sandboxes of a provider, and says what held. */
export async function probe(provider: SandboxProvider): Promise<SandboxCapabilities> {
  const sandbox = await provider.create({ limits, files: { 'probe.cjs': await readFile(attacks) } });
  try {
    const looks = await lookAround(sandbox);
    const spoken = await languages(sandbox);
    const findings = [...looks, ...(await exhaust(sandbox))];
    return Object.freeze({
      name: provider.name,
      isolated: looks.every(({ protection, gotThrough }) => gotThrough === null || protection === lookedAt.filter),
      inForce: findings.filter(({ gotThrough }) => gotThrough === null).map(({ protection }) => protection),
      missing: findings
        .filter(({ gotThrough }) => gotThrough !== null)
        .map(({ protection, gotThrough }) => `${protection}: ${gotThrough}`),
      languages: spoken,
    });
  } finally {
    await sandbox.dispose();
  }
}

const attacks = join(packageRoot, 'gym/drivers/sandbox-probe.cjs');

interface Targets {
  readonly port: number;
  readonly secretFile: string;
  readonly directories: readonly string[];
  readonly pid: number;
}

const lookedAt = {
  network: 'no network',
  processes: 'own process tree: others are neither seen nor signalled',
  files: 'own file system: programs read-only, nothing of this user or of the project',
  environment: 'environment of its own',
  privileges: 'no privileges, and none to gain',
  namespaces: 'no new namespaces',
  filter: 'system call filter',
} as const;

async function lookAround(sandbox: Sandbox): Promise<Finding[]> {
  const secretFile = join(supportFiles().directory, `${sandbox.id}.secret`);
  await writeFile(secretFile, 'seen', { mode: 0o644 });
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const shownPrefixes = [interpreters().python?.prefix, interpreters().node.prefix];
  // the home directory may be above an interpreter's; what is beside that must not be there
  const directories = [packageRoot, join(packageRoot, 'src'), join(homedir(), '.ssh'), process.cwd()].filter(
    (path) => !shownPrefixes.some((prefix) => prefix?.startsWith(`${path}/`)),
  );
  const targets: Targets = { port, secretFile, directories, pid: process.pid };
  try {
    const result = await sandbox.exec(['node', 'probe.cjs', JSON.stringify(targets)]);
    const found = result.exitCode === 0 ? (JSON.parse(result.stdout) as Record<string, string | null>) : {};
    return Object.entries(lookedAt).map(([name, protection]) => ({
      protection,
      gotThrough: name in found ? (found[name] ?? null) : `could not be tried (${lastLine(result)})`,
    }));
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

function lastLine({ stderr, killedBy, exitCode }: ExecResult): string {
  return stderr.trim().split('\n').at(-1) || `killed by ${killedBy}, exit code ${exitCode}`;
}

/** Takes more of everything than is allowed. */
async function exhaust(sandbox: Sandbox): Promise<Finding[]> {
  const node = (script: string, options = {}) => sandbox.exec(['node', '-e', script], options);
  const fork = await node(
    `let failed = 0; const { spawn } = require('node:child_process');
     for (let i = 0; i < 64; i++) { const c = spawn('/bin/sleep', ['20']); c.on('error', () => {}); if (c.pid === undefined) failed++; }
     process.stdout.write(String(failed), () => process.exit())`,
  );
  const each = await sandbox.exec(['/bin/sh', '-c', 'head -c 700000000 /dev/zero | tail -n 1 | wc -c']);
  const tree = await node('const held = Buffer.alloc(150e6, 1); setInterval(() => held[0], 1000)', { seconds: 10 });
  const output = await sandbox.exec(['/bin/sh', '-c', 'while :; do echo flood; done']);
  const time = await sandbox.exec(['/bin/sh', '-c', 'setsid sleep 20 & sleep 20'], { seconds: 0.5 });
  // last: what it writes stays
  const disk = await sandbox.exec([
    '/bin/sh',
    '-c',
    'head -c 20000000 /dev/zero >/tmp/f; for i in 1 2 3; do head -c 6000000 /dev/zero >f$i; done; sleep 5; wc -c /tmp/f f*',
  ]);
  const finding = (protection: string, held: boolean, otherwise: string): Finding => ({
    protection,
    gotThrough: held ? null : otherwise,
  });
  return [
    finding('limit of processes', Number(fork.stdout) > 0, 'started 64 processes where 8 are allowed'),
    finding(
      'memory limit (each process)',
      each.killedBy === 'memory' || each.stdout.trim() !== '700000000',
      'allocated 700 MB where 96 MB are allowed',
    ),
    finding('memory limit (all processes together)', tree.killedBy === 'memory', 'held 150 MB where 96 MB are allowed'),
    finding('disk limit', disk.killedBy === 'disk', 'wrote 38 MB where 8 MB are allowed'),
    finding('output limit', output.killedBy === 'output', 'wrote without end'),
    finding('time limit', time.killedBy === 'time', 'ran longer than allowed'),
  ];
}

async function languages(sandbox: Sandbox): Promise<SandboxCapabilities['languages']> {
  const version = async (command: readonly string[]) => {
    const { exitCode, stdout } = await sandbox.exec(command);
    return exitCode === 0 ? stdout.trim() : null;
  };
  return {
    python: await version(['python3', '-c', 'print(".".join(map(str, __import__("sys").version_info[:3])))']),
    javascript: await version(['node', '-p', 'process.versions.node']),
    bash: await version(['bash', '-c', 'echo $BASH_VERSION']),
  };
}
