import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DaytonaSdk } from '../../../src/gym/sandbox/daytona.js';
import type { E2bSdk } from '../../../src/gym/sandbox/e2b.js';

/** How a double misbehaves from now on. */
export interface Trouble {
  /** `hang` never answers. */
  create?: Error | 'hang';
  command?: Error | 'hang';
  file?: Error;
  /** How many attempts at deleting fail. */
  delete?: { error: Error; times: number };
}

/** What a double was asked for, and what it has alive. */
export interface Double<Sdk> {
  readonly sdk: Sdk;
  readonly trouble: Trouble;
  readonly created: Record<string, unknown>[];
  readonly alive: Set<string>;
  /** Removes all that is left. */
  clear(): Promise<void>;
}

const never = new Promise<never>(() => undefined);

export class DaytonaTimeoutError extends Error {
  override readonly name = 'DaytonaTimeoutError';
}
export class DaytonaConnectionError extends Error {
  override readonly name = 'DaytonaConnectionError';
}
export class AuthenticationError extends Error {
  override readonly name = 'AuthenticationError';
}

async function fail(how: Error | 'hang' | undefined): Promise<void> {
  if (how === 'hang') await never;
  if (how instanceof Error) throw how;
}

/** Both vendors run a line of shell in a machine with a home directory; here that is a folder and a child process. */
function machines(trouble: Trouble) {
  const alive = new Set<string>();
  let count = 0;
  return {
    alive,
    async open(): Promise<{ id: string; home: string }> {
      await fail(trouble.create);
      const home = await mkdtemp(join(tmpdir(), 'anneal-double-'));
      const id = `box-${++count}`;
      alive.add(home);
      return { id, home };
    },
    async run(home: string, line: string, seconds: number): Promise<{ exitCode: number; stdout: string }> {
      await fail(trouble.command);
      return new Promise((resolve, reject) => {
        const child = spawn('sh', ['-c', line], {
          cwd: home,
          timeout: seconds * 1000,
          killSignal: 'SIGKILL',
          detached: true,
        });
        let stdout = '';
        child.stdout.on('data', (chunk) => {
          stdout += chunk;
        });
        child.on('error', reject);
        child.on('close', (exitCode) =>
          exitCode === null ? reject(new DaytonaTimeoutError('command timed out')) : resolve({ exitCode, stdout }),
        );
        child.stdin.end();
      });
    },
    async write(path: string, content: Uint8Array): Promise<void> {
      await fail(trouble.file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    },
    async read(path: string): Promise<Buffer> {
      await fail(trouble.file);
      return readFile(path);
    },
    async remove(home: string): Promise<void> {
      if (trouble.delete !== undefined && trouble.delete.times-- > 0) throw trouble.delete.error;
      alive.delete(home);
      await rm(home, { recursive: true, force: true });
    },
    async clear(): Promise<void> {
      for (const home of alive) await rm(home, { recursive: true, force: true });
    },
  };
}

export function daytonaDouble(): Double<DaytonaSdk> {
  const trouble: Trouble = {};
  const created: Record<string, unknown>[] = [];
  const { alive, open, run, read, write, remove, clear } = machines(trouble);
  class Daytona {
    constructor(private readonly config: { apiKey: string; apiUrl?: string }) {}
    async create(params: Record<string, unknown>, options: { timeout: number }) {
      created.push({ ...this.config, ...params, ...options });
      const { id, home } = await open();
      return {
        id,
        process: {
          async executeCommand(line: string, _cwd?: string, _env?: Record<string, string>, timeout = 10) {
            const { exitCode, stdout } = await run(home, line, timeout);
            return { exitCode, result: stdout };
          },
        },
        fs: {
          uploadFile: (file: Buffer, path: string) => write(path, file),
          downloadFile: (path: string) => read(path),
        },
        getUserHomeDir: async () => home,
        delete: () => remove(home),
      };
    }
  }
  return { sdk: { Daytona }, trouble, created, alive, clear };
}

class CommandExitError extends Error {
  override readonly name = 'CommandExitError';
}

export function e2bDouble(): Double<E2bSdk> {
  const trouble: Trouble = {};
  const created: Record<string, unknown>[] = [];
  const { alive, open, run, read, write, remove, clear } = machines(trouble);
  const Sandbox = {
    async create(template: string, options: Record<string, unknown>) {
      created.push({ template, ...options });
      const { id, home } = await open();
      return {
        sandboxId: `${id}-${home.slice(-6)}`,
        commands: {
          async run(line: string, { timeoutMs }: { timeoutMs: number }) {
            const result = await run(home, line, timeoutMs / 1000);
            if (result.exitCode !== 0) throw new CommandExitError(`exit status ${result.exitCode}`);
            return { ...result, stderr: '' };
          },
        },
        files: {
          write: (path: string, data: ArrayBuffer) => write(path, new Uint8Array(data)),
          read: (path: string, _options: { format: 'bytes' }): Promise<Uint8Array> => read(path),
        },
        async kill() {
          await remove(home);
          return true;
        },
      };
    },
  };
  return { sdk: { Sandbox }, trouble, created, alive, clear };
}
