import { GymError } from '../gym-error.js';
import { SandboxError } from '../sandbox/types.js';
import type { Gym, GymOptions } from '../types.js';

export interface LazyGymOptions extends GymOptions {
  /** Judges the answers and stays the caller's: it is not disposed of. The other options are not looked at then. */
  readonly gym?: Gym;
  /**
   * Where `DAYTONA_API_KEY` is set but Daytona cannot be used, judge in the local sandbox instead. Without it that is an error.
   */
  readonly allowLocal?: boolean;
}

interface LazyGym {
  /** Opened by the first call, shared by all. */
  get(): Promise<Gym>;
  dispose(): Promise<void>;
}

// What judges is loaded when it is needed: a config or a row is made without it.
async function openFresh(options: GymOptions): Promise<Gym> {
  const { openGym } = await import('../gym.js');
  return openGym(options);
}

/** A gym in the sandbox of the options; without one in Daytona where `DAYTONA_API_KEY` is set, else in the local sandbox. */
export function lazyGym(
  options: LazyGymOptions,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  open: (options: GymOptions) => Promise<Gym> = openFresh,
): LazyGym {
  let opened: Promise<Gym> | null = null;
  const { gym, allowLocal = false, ...gymOptions } = options;

  async function start(): Promise<Gym> {
    if (gym !== undefined) return gym;
    if (gymOptions.sandbox !== undefined || !environment.DAYTONA_API_KEY) return open(gymOptions);
    let remote: Gym | null = null;
    try {
      remote = await open({ ...gymOptions, sandbox: 'daytona' });
      await remote.capabilities();
      return remote;
    } catch (error) {
      await remote?.dispose();
      if (!(error instanceof SandboxError) || error.reason !== 'unavailable') throw error;
      if (allowLocal) return open({ ...gymOptions, sandbox: 'local' });
      throw new GymError(
        `DAYTONA_API_KEY is set, but Daytona cannot be used: ${error.message} To judge here instead, unset the key, give sandbox: 'local', or allowLocal: true.`,
        { cause: error },
      );
    }
  }

  return {
    get() {
      opened ??= start().catch((error: unknown) => {
        opened = null;
        throw error;
      });
      return opened;
    },
    async dispose() {
      const closing = opened;
      opened = null;
      if (gym === undefined) await (await closing?.catch(() => null))?.dispose();
    },
  };
}
