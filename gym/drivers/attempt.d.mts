import type { ChildProcess } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';

export interface Target {
  readonly channel: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How the process ended: `exit code 3`. Rejects when not the answer but what is around it ended. */
  readonly gone: Promise<string>;
  kill(): void;
  /** Calls back when the process and all below it hold too much memory. */
  onMemory?(exceeded: () => void): void;
}

export interface Job {
  readonly source: string;
  readonly function: string;
  readonly calls: readonly string[];
  readonly case_seconds: number;
  readonly total_seconds: number;
  readonly memory_mb: number;
  readonly processes: number;
  readonly output_kb: number;
}

export interface Report {
  readonly lines: readonly string[];
  readonly end: 'done' | 'time' | 'total-time' | 'ended' | 'memory' | 'flood';
  readonly detail: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export function startedHere(child: ChildProcess): Target;
export function statusInWords(status: number): string;
export function keepStart(stream: Readable, maxBytes: number): { text(): string; stop(): void };
export function attempt(target: Target, job: Job, options: { keep: boolean; hello?: boolean }): Promise<Report>;
