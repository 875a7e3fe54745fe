import { type RemoteTimes, remoteProvider } from './remote-sandbox.js';
import { importSdk } from './remote-sdk.js';
import { SandboxError, type SandboxProvider } from './types.js';

/** The parts of `e2b` that are used. */
export interface E2bSdk {
  readonly Sandbox: {
    create(template: string, options: Record<string, unknown>): Promise<E2bSandbox>;
  };
}

interface E2bSandbox {
  readonly sandboxId: string;
  readonly commands: {
    /** Rejects with a CommandExitError where the exit code is not 0. */
    run(
      command: string,
      options: { timeoutMs: number },
    ): Promise<{ readonly exitCode: number; readonly stdout: string }>;
  };
  readonly files: {
    write(path: string, data: ArrayBuffer): Promise<unknown>;
    read(path: string, options: { format: 'bytes' }): Promise<Uint8Array>;
  };
  kill(): Promise<boolean>;
}

export interface E2bOptions extends RemoteTimes {
  /** Default: the environment variable E2B_API_KEY. */
  readonly apiKey?: string;
  /** Memory, disk and programs are those of the template. Default `base`. */
  readonly template?: string;
  /** How long a sandbox may live, in all. Default 3600, which is the most of E2B's free plan. */
  readonly lifetimeSeconds?: number;
  /** Default: `e2b`. */
  readonly sdk?: E2bSdk;
}

/** Sandboxes at E2B. @throws SandboxError `unavailable` when the key or the SDK is missing */
export async function openE2b(options: E2bOptions = {}): Promise<SandboxProvider> {
  const apiKey = options.apiKey ?? process.env.E2B_API_KEY;
  if (!apiKey) {
    throw new SandboxError('sandbox: e2b needs a key in the environment variable E2B_API_KEY.', {
      reason: 'unavailable',
    });
  }
  const sdk = options.sdk ?? (await importSdk<E2bSdk>('e2b', 'Sandbox', ['e2b']));
  const { template = 'base', lifetimeSeconds = 3600, createSeconds = 120 } = options;
  return remoteProvider(
    {
      name: 'e2b',
      title: 'E2B',
      enforced: ['network blocked at creation'],
      async create() {
        const sandbox = await sdk.Sandbox.create(template, {
          apiKey,
          allowInternetAccess: false,
          timeoutMs: lifetimeSeconds * 1000,
          requestTimeoutMs: createSeconds * 1000,
          metadata: { 'created-by': 'anneal' },
        });
        return {
          id: sandbox.sandboxId,
          home: '/tmp',
          shell: async (line, seconds) => (await sandbox.commands.run(line, { timeoutMs: seconds * 1000 })).stdout,
          upload: async (path, content) => {
            // A copy: the view may be a part of a larger buffer.
            await sandbox.files.write(path, new Uint8Array(content).buffer);
          },
          download: (path) => sandbox.files.read(path, { format: 'bytes' }),
          delete: async () => {
            await sandbox.kill();
          },
        };
      },
    },
    options,
  );
}
