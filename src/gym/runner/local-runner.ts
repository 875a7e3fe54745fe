import { createHash } from 'node:crypto';
import { createLimiter } from '../limiter.js';
import { SandboxError, type SandboxLimits, type SandboxProvider } from '../sandbox/types.js';
import type { AttemptRequest } from './attempt.js';
import { nodePlan, type PythonMode, pythonPlan } from './drivers.js';
import { startNodeWorker } from './node-worker.js';
import { createPool, type Pool } from './pool.js';
import { startPythonWorker } from './python-worker.js';
import { runJob } from './run-job.js';
import type { CallJob, Runner } from './types.js';

interface LocalRunnerOptions {
  readonly sandboxes: SandboxProvider;
  readonly workers: number;
  /** How Python answers are kept apart. Default: `nested` where the kernel allows it, else `single`; `none` without isolation. */
  readonly python?: PythonMode;
}

/** JavaScript sources of environments whose processes are kept, beyond those at work. */
const warmSources = 4;

/** Runs jobs in processes of this machine. */
export function openLocalRunner({ sandboxes, workers, python }: LocalRunnerOptions): Runner {
  const isIsolated = sandboxes.name !== 'none';
  const limited = createLimiter(workers);
  const pools = {
    python: isIsolated ? pythonPools(python) : { answers: pythonPool('none'), trusted: pythonPool('none') },
    answers: nodePool(false),
    trusted: nodePool(true),
  };

  function pythonPool(mode: PythonMode): Pool {
    return createPool({
      start: () => startPythonWorker(pythonPlan(mode), { oneUse: mode === 'single' }),
      keyOf: () => 'python',
      maxIdle: workers,
      ahead: mode === 'single',
    });
  }

  /** Answers and trusted sources never come from the same server, although it keeps nothing of either. */
  function pythonPools(mode: PythonMode | undefined): { answers: Pool; trusted: Pool } {
    if (mode !== undefined) return { answers: pythonPool(mode), trusted: pythonPool(mode) };
    const both = [pythonPools('nested'), pythonPools('single')] as const;
    let chosen: Promise<(typeof both)[number]> | undefined;
    const choose = () => {
      chosen ??= tryNested(both[0].trusted).then((works) => both[works ? 0 : 1]);
      chosen.catch(() => {
        chosen = undefined;
      });
      return chosen;
    };
    const pool = (which: 'answers' | 'trusted'): Pool => ({
      attempt: async (request, signal) => (await choose())[which].attempt(request, signal),
      dispose: async () => {
        await Promise.all(both.map((pools) => pools[which].dispose()));
      },
    });
    return { answers: pool('answers'), trusted: pool('trusted') };
  }

  function nodePool(keep: boolean): Pool {
    return createPool({
      start: ({ limits }) => startNodeWorker(nodePlan(limits, { isolated: isIsolated }), { keep }),
      keyOf: (request) => JSON.stringify(request.limits.memoryMb) + (keep ? hashOf(request) : answerKey(request)),
      maxIdle: keep ? workers + warmSources : workers,
      ahead: !keep,
    });
  }

  const poolOf = ({ language, trusted = false }: CallJob): Pool => {
    const { answers, trusted: trustedPool } = language === 'python' ? pools.python : pools;
    return trusted ? trustedPool : answers;
  };

  let worked = false;
  const run = async (job: CallJob, signal: AbortSignal | undefined) => {
    try {
      const result = await runJob(job, poolOf(job).attempt, signal);
      worked = true;
      return result;
    } catch (error) {
      // Where nothing has worked yet it may be that nothing can, and the sandbox itself knows best how to say that.
      if (error instanceof SandboxError && error.retryable && !worked)
        await (await sandboxes.create({ limits: small })).dispose();
      throw error;
    }
  };

  return Object.freeze<Runner>({
    workers,
    run: (job, signal) => limited(() => run(job, signal), signal),
    capabilities: () => sandboxes.capabilities(),
    async dispose() {
      const all = [pools.python.answers, pools.python.trusted, pools.answers, pools.trusted];
      await Promise.all(all.map((pool) => pool.dispose()));
    },
  });
}

/** What an answer's process is started with. */
function answerKey({ limits: { processes, outputKb } }: AttemptRequest): string {
  return ` ${processes} ${outputKb}`;
}

function hashOf({ source, functionName }: AttemptRequest): string {
  return createHash('sha256').update(functionName).update('\0').update(source).digest('hex');
}

const small: SandboxLimits = { seconds: 10, memoryMb: 256, processes: 16, outputKb: 64, diskMb: 16 };

const trial: AttemptRequest = {
  language: 'python',
  source: 'def works(): return True',
  functionName: 'works',
  calls: ['[]'],
  limits: { caseSeconds: 10, totalSeconds: 10, memoryMb: 256, processes: 16, outputKb: 64 },
};

/** Whether the kernel gives namespaces inside the sandbox. Where the sandbox itself does not start, its error. */
async function tryNested(pool: Pool): Promise<boolean> {
  try {
    await pool.attempt(trial);
    return true;
  } catch (error) {
    if (/driver failed: .*(unshare|mount|_map|setgroups|read-only)/.test((error as Error).message)) return false;
    throw error;
  }
}
