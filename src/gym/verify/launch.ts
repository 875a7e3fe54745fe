import { readFile } from 'node:fs/promises';
import { gymAsset } from '../assets.js';
import type { EnvironmentLimits } from '../environment/types.js';
import { type ExecResult, type Sandbox, SandboxError, type SandboxLimits } from '../sandbox/types.js';
import { VerifierError } from './verifier-error.js';

export interface LaunchJob {
  readonly command: readonly string[];
  readonly stdin?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly seconds: number;
  readonly outputKb: number;
  /** A Python program that runs beside the command; `input` is its stdin, as JSON. */
  readonly service?: { readonly source: string; readonly input: unknown } | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Launched {
  /** null when a signal or a limit ended it. */
  readonly exitCode: number | null;
  readonly killedBy: ExecResult['killedBy'];
  /** How it ended, for a person: `exit code 3`, `killed by signal 9`, `no end within 15 s`. null where it ended with 0. */
  readonly problem: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What the service printed, line by line, parsed where it is JSON. */
  readonly service: readonly unknown[];
  readonly ms: number;
}

/** Beyond the answer's own time: for the interpreter of the launcher and for the start of a service. */
const START_SECONDS = 15;
/** What the launcher and the collector may print; the answer's own limit is kept by the launcher. */
const TRUSTED_OUTPUT_KB = 32 * 1024;

/** `-I -S`: no file of the work directory and no variable of the environment has a say in what a trusted program imports. */
export const trustedPython: readonly string[] = ['python3', '-I', '-S'];

/** Through a shell, because a sandbox limits the memory of `python3` in a way that Node, which it may start, cannot live with. */
export function trustedCommand(source: string): readonly string[] {
  return ['sh', '-c', `exec ${trustedPython.join(' ')} -c "$0"`, source];
}

/** Limits of a sandbox in which `launch` and `collect` are used. */
export function launchLimits(limits: EnvironmentLimits): SandboxLimits {
  return {
    seconds: limits.caseSeconds + START_SECONDS,
    memoryMb: limits.memoryMb,
    processes: limits.processes,
    outputKb: TRUSTED_OUTPUT_KB,
    diskMb: limits.diskMb,
  };
}

/**
 * Runs an untrusted command in the sandbox's work directory, with its limits of time and output, and a service beside it.
 *
 * What comes back about the command and from the service is written by a launcher whose memory and descriptors the kernel
 * keeps from the command (gym/drivers/launch.py), so where the sandbox isolates, the command can end the launcher but
 * not speak in its name.
 * @throws SandboxError when the sandbox failed
 * @throws VerifierError when the service did not start
 */
export async function launch(sandbox: Sandbox, job: LaunchJob): Promise<Launched> {
  const source = await readFile(gymAsset('drivers/launch.py'), 'utf8');
  const result = await sandbox.exec(trustedCommand(source), {
    stdin: JSON.stringify({
      command: job.command,
      env: job.env ?? {},
      stdin: job.stdin ?? '',
      seconds: job.seconds,
      outputKb: job.outputKb,
      service: job.service ?? null,
    }),
    seconds: job.seconds + START_SECONDS,
    signal: job.signal,
  });
  const report = parseReport(result);
  if (report === null) return lost(result, job);
  if (report.service_failed !== undefined) {
    throw new VerifierError(`the service did not start: ${report.service_failed}`);
  }
  return {
    exitCode: report.exit_code,
    killedBy: report.killed_by,
    problem: describeEnd(report, job),
    stdout: report.stdout,
    stderr: report.stderr,
    service: report.service.map(parseLine),
    ms: report.ms,
  };
}

interface Report {
  readonly service_failed?: string;
  readonly exit_code: number | null;
  readonly signal: number | null;
  readonly killed_by: 'time' | 'output' | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly service: readonly string[];
  readonly service_alive: boolean | null;
  readonly ms: number;
}

function parseReport({ exitCode, killedBy, stdout, stderr }: ExecResult): Report | null {
  if (exitCode === 0) {
    try {
      return JSON.parse(stdout) as Report;
    } catch (error) {
      throw new SandboxError('the launcher was cut off', { cause: error });
    }
  }
  // The launcher ignores what a program can ignore: ended by a signal it was by the answer, or by a limit.
  if (killedBy !== null || exitCode === null || exitCode > 128) return null;
  throw new SandboxError(
    exitCode === 127 || exitCode === 126
      ? 'python3 cannot be run in the sandbox; scripts and episodes need it there'
      : `the launcher failed with exit code ${exitCode}: ${stderr.slice(-1000)}`,
  );
}

function lost({ killedBy, ms }: ExecResult, job: LaunchJob): Launched {
  const problem = killedBy === null ? 'it killed the processes around it' : describeLimit(killedBy, job);
  return { exitCode: null, killedBy, problem, stdout: '', stderr: '', service: [], ms };
}

function describeEnd(report: Report, job: LaunchJob): string | null {
  if (report.killed_by !== null) return describeLimit(report.killed_by, job);
  if (report.service_alive === false) return 'the service beside it was gone at its end';
  if (report.signal !== null) return `killed by signal ${report.signal}`;
  return report.exit_code === 0 ? null : `exit code ${report.exit_code}`;
}

function describeLimit(limit: NonNullable<ExecResult['killedBy']>, job: LaunchJob): string {
  switch (limit) {
    case 'time':
      return `no end within ${job.seconds} s`;
    case 'output':
      return `more than ${job.outputKb} KB of output`;
    case 'memory':
      return 'out of memory';
    case 'disk':
      return 'too much written to disk';
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
