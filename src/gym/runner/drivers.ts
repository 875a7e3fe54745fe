import { gymAsset } from '../assets.js';
import { interpreters, isolated, pythonFor, seccompProgram, workDirectory } from '../sandbox/index.js';
import type { ChannelPlan } from './channel-process.js';
import type { JobLimits } from './types.js';

/**
 * - `nested`: answers in namespaces of their own, forked from a server in a sandbox.
 * - `single`: a sandbox for each answer.
 * - `none`: no isolation.
 */
export type PythonMode = 'nested' | 'single' | 'none';

const diskMb = 64;
/** Of the sandbox around the servers; each answer has its own limits within. */
const serverLimits = { seconds: 24 * 3600, memoryMb: 2 ** 16, processes: 4096, outputKb: 64, diskMb };

/** @throws SandboxError (`unavailable`) where there is no Python */
export function pythonPlan(mode: PythonMode): ChannelPlan {
  const python = pythonFor('Python answers');
  const driver = mode === 'none' ? gymAsset('drivers/driver.py') : '/anneal/driver.py';
  const seccomp = mode === 'nested' ? seccompProgram() : null;
  const settings = {
    mode,
    fresh: mode === 'nested' ? [workDirectory, '/tmp', '/dev/shm'] : [],
    directory: mode === 'none' ? '/' : workDirectory,
    diskMb,
    seccomp: Buffer.from(seccomp ?? []).toString('hex'),
  };
  const command = [python.file, '-I', '-S', driver, 'serve', JSON.stringify(settings)];
  if (mode === 'none') return plainPlan(command);
  return {
    kind: 'sandbox',
    plan: isolated(command, {
      limits: serverLimits,
      binds: [{ host: gymAsset('drivers/driver.py'), inside: driver, writable: false }],
      workDirectory: 'tmpfs',
      nestedNamespaces: mode === 'nested',
      language: 'python',
      extraFds: 1,
    }),
  };
}

export function nodePlan(limits: JobLimits, options: { readonly isolated: boolean }): ChannelPlan {
  const { node } = interpreters();
  const driver = options.isolated ? '/anneal/driver.mjs' : gymAsset('drivers/driver.mjs');
  const channel = options.isolated ? '4' : '3';
  const command = [node.file, `--max-old-space-size=${limits.memoryMb}`, driver, 'serve', channel];
  if (!options.isolated) return plainPlan(command);
  return {
    kind: 'sandbox-status',
    plan: isolated(command, {
      // its time is kept by whoever uses it, which may be long after its start
      limits: { ...limits, seconds: serverLimits.seconds, diskMb },
      binds: [{ host: gymAsset('drivers/driver.mjs'), inside: driver, writable: false }],
      workDirectory: 'tmpfs',
      language: 'javascript',
      extraFds: 1,
      reportStatus: true,
    }),
  };
}

/** An ordinary process of this user, with an environment of its own. */
export function plainPlan([file, ...args]: readonly string[]): ChannelPlan {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LANG: 'C.UTF-8' };
  return { kind: 'plain', plan: { file: file!, args, env } };
}
