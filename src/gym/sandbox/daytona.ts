import { type RemoteTimes, remoteProvider } from './remote-sandbox.js';
import { importSdk } from './remote-sdk.js';
import { SandboxError, type SandboxProvider } from './types.js';

/** The parts of `@daytona/sdk` that are used. */
export interface DaytonaSdk {
  readonly Daytona: new (config: {
    apiKey: string;
    apiUrl?: string;
    target?: string;
  }) => {
    create(params: Record<string, unknown>, options: { timeout: number }): Promise<DaytonaSandbox>;
  };
}

interface DaytonaSandbox {
  readonly id: string;
  readonly process: {
    executeCommand(
      command: string,
      cwd?: string,
      env?: Record<string, string>,
      timeout?: number,
    ): Promise<{ readonly exitCode: number; readonly result: string }>;
  };
  readonly fs: {
    uploadFile(file: Buffer, remotePath: string, timeout?: number): Promise<void>;
    downloadFile(remotePath: string, timeout?: number): Promise<Buffer>;
  };
  getUserHomeDir?(): Promise<string | undefined>;
  delete(timeout?: number): Promise<void>;
}

export interface DaytonaOptions extends RemoteTimes {
  /** Default: the environment variable DAYTONA_API_KEY. */
  readonly apiKey?: string;
  /** Of a Daytona of one's own. Default: DAYTONA_API_URL, else Daytona's. */
  readonly apiUrl?: string;
  /** An image with Python and Node; memory and disk are then limited to what an answer may use. Default: Daytona's own snapshot. */
  readonly image?: string;
  /** Default: `@daytona/sdk`, or `@daytonaio/sdk` as it was called before. */
  readonly sdk?: DaytonaSdk;
}

/** Minutes without a command after which Daytona stops the sandbox, and with that deletes it. */
const idleMinutes = 15;

/** Sandboxes at Daytona. @throws SandboxError `unavailable` when the key or the SDK is missing */
export async function openDaytona(options: DaytonaOptions = {}): Promise<SandboxProvider> {
  const apiKey = options.apiKey ?? process.env.DAYTONA_API_KEY;
  if (!apiKey) {
    throw new SandboxError('sandbox: daytona needs a key in the environment variable DAYTONA_API_KEY.', {
      reason: 'unavailable',
    });
  }
  const sdk = options.sdk ?? (await importSdk<DaytonaSdk>('daytona', 'Daytona', ['@daytona/sdk', '@daytonaio/sdk']));
  const apiUrl = options.apiUrl ?? process.env.DAYTONA_API_URL;
  const client = new sdk.Daytona({ apiKey, ...(apiUrl ? { apiUrl } : {}) });
  const { image, createSeconds = 120 } = options;
  return remoteProvider(
    {
      name: 'daytona',
      title: 'Daytona',
      enforced: ['network blocked at creation', ...(image === undefined ? [] : ['memory and disk of the machine'])],
      async create(limits) {
        const gib = (mb: number) => Math.max(1, Math.ceil(mb / 1024));
        const sandbox = await client.create(
          {
            ...(image === undefined
              ? {}
              : { image, resources: { cpu: 1, memory: gib(limits.memoryMb), disk: gib(limits.diskMb) } }),
            networkBlockAll: true,
            ephemeral: true,
            autoStopInterval: idleMinutes,
            labels: { 'created-by': 'anneal' },
          },
          { timeout: createSeconds },
        );
        return {
          id: sandbox.id,
          home: (await sandbox.getUserHomeDir?.()) ?? '/tmp',
          async shell(line, seconds) {
            const { exitCode, result } = await sandbox.process.executeCommand(line, undefined, undefined, seconds);
            if (exitCode !== 0) throw new Error(`exit code ${exitCode}: ${result.slice(0, 500)}`);
            return result.endsWith('\n') ? result : `${result}\n`;
          },
          upload: (path, content) => sandbox.fs.uploadFile(Buffer.from(content), path),
          download: (path) => sandbox.fs.downloadFile(path),
          delete: () => sandbox.delete(),
        };
      },
    },
    options,
  );
}
