import type { AttemptReport, AttemptRequest } from './attempt.js';

/** A process, or the means to start one, that serves one request at a time. */
export interface Worker {
  /** @throws SandboxError when the worker failed; it is of no use then */
  attempt(request: AttemptRequest, signal?: AbortSignal): Promise<AttemptReport>;
  /** Whether it can take another request. */
  readonly usable: boolean;
  /** Kills what is left of it. Never throws. */
  dispose(): Promise<void>;
}

/** The same in the words of the drivers. */
export function jobOf({ source, functionName, calls, limits }: AttemptRequest) {
  return {
    source,
    function: functionName,
    calls,
    case_seconds: limits.caseSeconds,
    total_seconds: limits.totalSeconds,
    memory_mb: limits.memoryMb,
    processes: limits.processes,
    output_kb: limits.outputKb,
  };
}
