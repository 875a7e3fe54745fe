import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from './command.js';
import { findProgram, interpreters } from './interpreters.js';
import { lifetime } from './lifetime.js';
import { kill } from './process-tree.js';
import { supportFiles } from './support-files.js';
import type { CreateSandboxOptions, ExecOptions, ExecResult, Sandbox, SandboxProvider } from './types.js';
import { readWorkFile, removeTree, writeWorkFile } from './work-files.js';

/** Ordinary processes of this user in a temporary directory: for answers that one trusts, on every system. */
export function openUnisolatedSandboxes(): SandboxProvider {
  const live = new Set<Sandbox>();
  return Object.freeze({
    name: 'none' as const,
    async capabilities() {
      const { python, node, bash } = interpreters();
      return {
        name: 'none' as const,
        isolated: false,
        inForce: ['time limit', 'output limit', 'environment of its own', 'end of the process group with the command'],
        missing: [
          'everything else: with `sandbox: none` a command is an ordinary process of this user, with its files, its network and its privileges',
        ],
        languages: {
          python: python?.version ?? null,
          javascript: node.version,
          bash: bash?.version ?? null,
        },
      };
    },
    async create(options: CreateSandboxOptions) {
      const sandbox = await createSandbox(options, () => live.delete(sandbox));
      live.add(sandbox);
      return sandbox;
    },
    async dispose() {
      await Promise.all([...live].map((sandbox) => sandbox.dispose()));
    },
  });
}

async function createSandbox(
  { limits, files = {}, signal }: CreateSandboxOptions,
  onDispose: () => void,
): Promise<Sandbox> {
  signal?.throwIfAborted();
  const id = `none-${randomBytes(8).toString('hex')}`;
  const root = join(supportFiles().directory, id);
  const directory = join(root, 'work');
  const temporary = join(root, 'tmp');
  const life = lifetime(id, () => removeTree(root));

  const exec = async (command: readonly string[], options: ExecOptions = {}): Promise<ExecResult> => {
    const { stdin, env = {}, cwd = '', seconds = limits.seconds } = options;
    const [program = '', ...args] = command;
    const path = searchPath();
    const file = findProgram(program, env.PATH ?? path);
    if (file === null) {
      return { exitCode: 127, stdout: '', stderr: `${program}: command not found\n`, killedBy: null, ms: 0 };
    }
    const own = { PATH: path, HOME: directory, TMPDIR: temporary, LANG: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1' };
    const plan = { file, args, env: { ...own, ...env } };
    const result = await runCommand(plan, {
      stdin,
      cwd: join(directory, cwd),
      seconds,
      outputKb: limits.outputKb,
      signals: [life.signal, ...(options.signal ? [options.signal] : [])],
      kill: (pid) => kill(-pid),
    });
    const { code, stdout, stderr, killedBy, ms } = result;
    return { exitCode: killedBy === null ? code : null, stdout, stderr, killedBy, ms };
  };

  try {
    await mkdir(directory, { recursive: true });
    await mkdir(temporary);
    for (const [path, content] of Object.entries(files)) await writeWorkFile(directory, path, content);
  } catch (error) {
    await life.dispose();
    throw error;
  }

  return Object.freeze({
    id,
    directory,
    exec: (command: readonly string[], options?: ExecOptions) => life.run(() => exec(command, options)),
    readFile: (path: string) => readWorkFile(directory, path, limits.diskMb * 2 ** 20),
    writeFile: (path: string, content: Uint8Array | string, options?: { readonly mode?: number }) =>
      writeWorkFile(directory, path, content, options),
    async dispose() {
      await life.dispose();
      onDispose();
    },
  });
}

function searchPath(): string {
  const { python, node } = interpreters();
  const own = [python?.file, node.file].flatMap((file) => (file ? [dirname(file)] : []));
  return [...new Set([...own, ...(process.env.PATH ?? '/usr/bin:/bin').split(':')])].join(':');
}
