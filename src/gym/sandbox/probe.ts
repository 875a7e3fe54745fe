import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { gymAsset, packageRoot } from '../assets.js';
import { supportFiles } from './support-files.js';
import {
  type ExecResult,
  type Sandbox,
  type SandboxCapabilities,
  SandboxError,
  type SandboxLimits,
  type SandboxProvider,
} from './types.js';

/** One protection: null where the attack on it failed, otherwise what got through. */
interface Finding {
  readonly protection: string;
  readonly gotThrough: string | null;
}

const limits: SandboxLimits = { seconds: 20, memoryMb: 96, processes: 8, outputKb: 64, diskMb: 8 };

/**
 * Attacks the sandboxes of a provider, and says what held.
 *
 * @throws SandboxError where something gets out, or it could not be found out
 */
export async function probe(provider: SandboxProvider): Promise<SandboxCapabilities> {
  const sandbox = await provider.create({ limits, files: { 'probe.cjs': await readFile(attacks) } });
  try {
    const [looks, limited, spoken] = await Promise.all([lookAround(sandbox), exhaust(provider), languages(sandbox)]);
    const out = looks.filter(({ protection, gotThrough }) => gotThrough !== null && !hardening.includes(protection));
    if (out.length > 0) {
      throw new SandboxError(
        `the local sandbox does not hold here, and nothing is run in it: ${out.map(describe).join('; ')}`,
        { reason: 'unavailable' },
      );
    }
    const findings = [...looks, ...limited];
    return Object.freeze({
      name: provider.name,
      isolated: true,
      inForce: findings.filter(({ gotThrough }) => gotThrough === null).map(({ protection }) => protection),
      missing: findings.filter(({ gotThrough }) => gotThrough !== null).map(describe),
      languages: spoken,
    });
  } finally {
    await sandbox.dispose();
  }
}

const describe = ({ protection, gotThrough }: Finding) => `${protection}: ${gotThrough}`;

const attacks = gymAsset('drivers/sandbox-probe.cjs');

interface Targets {
  readonly port: number;
  readonly secretFile: string;
  readonly paths: readonly string[];
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

/** Makes it harder to use a hole of the kernel; nothing gets out for the lack of it. */
const hardening: readonly string[] = [lookedAt.namespaces, lookedAt.filter];

async function lookAround(sandbox: Sandbox): Promise<Finding[]> {
  // beside the directory of this process, which only its user can enter: what hides the file must be the sandbox
  const secretFile = `${supportFiles().directory}.secret-${sandbox.id}`;
  await writeFile(secretFile, 'seen', { mode: 0o644 });
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const paths = [join(packageRoot, 'package.json'), gymAsset('environments'), join(homedir(), '.ssh')];
  const targets: Targets = { port, secretFile, paths, pid: process.pid };
  try {
    const result = await sandbox.exec(['node', 'probe.cjs', JSON.stringify(targets)]);
    if (result.exitCode !== 0) throw new SandboxError(`the local sandbox could not be tried: ${lastLine(result)}`);
    const found = JSON.parse(result.stdout) as Record<string, string | null>;
    return Object.entries(lookedAt).map(([name, protection]) => ({ protection, gotThrough: found[name] ?? null }));
  } finally {
    await rm(secretFile, { force: true });
    await new Promise((resolve) => server.close(resolve));
  }
}

function lastLine({ stderr, killedBy, exitCode }: ExecResult): string {
  return stderr.trim().split('\n').at(-1) || `killed by ${killedBy}, exit code ${exitCode}`;
}

/** Takes more of everything than is allowed, each in a sandbox of its own. */
async function exhaust(provider: SandboxProvider): Promise<Finding[]> {
  const attempts: readonly {
    protection: string;
    command: string[];
    held(result: ExecResult): boolean;
    otherwise: string;
  }[] = [
    {
      protection: 'limit of processes',
      command: ['node', '-e', startMany],
      held: ({ stdout }) => Number(stdout) > 0,
      otherwise: `started 64 processes where ${limits.processes} are allowed`,
    },
    {
      protection: 'memory limit (each process)',
      command: ['/bin/sh', '-c', 'head -c 700000000 /dev/zero | tail -n 1 | wc -c'],
      held: ({ killedBy, stdout }) => killedBy === 'memory' || stdout.trim() !== '700000000',
      otherwise: `allocated 700 MB where ${limits.memoryMb} are allowed`,
    },
    {
      protection: 'memory limit (all processes together)',
      command: ['node', '-e', 'const held = Buffer.alloc(150e6, 1); setInterval(() => held[0], 1000)'],
      held: ({ killedBy }) => killedBy === 'memory',
      otherwise: `held 150 MB where ${limits.memoryMb} are allowed`,
    },
    {
      protection: 'disk limit',
      command: ['/bin/sh', '-c', 'for i in 1 2 3; do head -c 6000000 /dev/zero >f$i; done; sleep 20'],
      held: ({ killedBy }) => killedBy === 'disk',
      otherwise: `wrote 18 MB where ${limits.diskMb} are allowed`,
    },
    {
      protection: 'output limit',
      command: ['/bin/sh', '-c', 'while :; do echo flood; done'],
      held: ({ killedBy }) => killedBy === 'output',
      otherwise: 'wrote without end',
    },
    {
      protection: 'time limit',
      command: ['/bin/sh', '-c', 'setsid sleep 60 & sleep 60'],
      held: ({ killedBy }) => killedBy === 'time',
      otherwise: 'ran longer than allowed',
    },
  ];
  return Promise.all(
    attempts.map(async ({ protection, command, held, otherwise }) => {
      const sandbox = await provider.create({ limits });
      try {
        const options = protection === 'time limit' ? { seconds: 0.3 } : {};
        return { protection, gotThrough: held(await sandbox.exec(command, options)) ? null : otherwise };
      } finally {
        await sandbox.dispose();
      }
    }),
  );
}

/** Prints how many of them could not be started. */
const startMany = `let failed = 0; const { spawn } = require('node:child_process');
for (let i = 0; i < 64; i++) {
  const child = spawn('/bin/sleep', ['20']);
  child.on('error', () => {});
  if (child.pid === undefined) failed++;
}
process.stdout.write(String(failed), () => process.exit());`;

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
