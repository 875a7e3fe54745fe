import type { Environment } from '../environment/types.js';
import type { Gym } from '../types.js';
import type { ServedEnvironments } from './environments.js';
import type { Jobs } from './jobs.js';

/** What the routes share. */
export interface ServerContext {
  readonly gym: Gym;
  readonly environments: ServedEnvironments;
  /** The one that requests without a name are for. */
  readonly defaultEnvironment: Environment | null;
  readonly jobs: Jobs;
  readonly version: string;
  /** Aborted when the server is closed. */
  readonly closing: AbortSignal;
}

/** Ends with the client's connection, and with the server. */
export function signalOf({ closing }: ServerContext, request: Request): AbortSignal {
  return AbortSignal.any([closing, request.signal]);
}
