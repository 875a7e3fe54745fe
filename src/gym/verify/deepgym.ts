import { shorten } from '../../text/index.js';
import type { CaseSet, Environment } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { Language } from '../language.js';
import type { GymContext } from '../types.js';
import type { Scored } from '../verdict.js';
import { type DeepGymReport, runDeepGym } from './deepgym-processes.js';
import { type DeepGymResult, lastObject, readResult } from './deepgym-result.js';
import { brief, cleanScore, keptOutput, tooLong, worthless } from './score.js';
import { VerifierError } from './verifier-error.js';

/**
 * Judges an answer by a DeepGym verifier: by its protocol, but with the answer in a process of its own.
 * A verifier that fails on an answer although it judges the environment's reference has met an answer that is worth nothing.
 * @throws VerifierError, SandboxError; GymError where the sandbox is not of this machine
 */
export async function verifyDeepGym(
  context: GymContext,
  environment: Environment,
  _cases: CaseSet,
  answer: string,
  _language: Language,
  signal?: AbortSignal,
): Promise<Scored> {
  const since = performance.now();
  const refused = tooLong(answer);
  if (refused !== null) return worthless(environment, refused, since);
  try {
    return await judgeOnce(context, environment, answer, since, signal);
  } catch (error) {
    if (!(error instanceof VerifierError) || error instanceof Unsupported) throw error;
    if (!(await judgesReference(context, environment, answer, signal))) throw error;
    return worthless(environment, `the verifier failed on this answer: ${error.message}`, since);
  }
}

/** What cannot be done for any answer. */
class Unsupported extends VerifierError {}

const proven = new WeakMap<Environment, Promise<boolean>>();

/** Whether the verifier gives the reference a verdict: then it is not broken. Found out once. */
function judgesReference(
  context: GymContext,
  environment: Environment,
  answer: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const reference = environment.references.find(({ language }) => language === 'python');
  if (reference === undefined || reference.text === answer) return Promise.resolve(false);
  const known = proven.get(environment);
  if (known !== undefined) return known;
  const tried = judgeOnce(context, environment, reference.text, performance.now(), signal).then(
    ({ score }) => score > 0,
    (error: unknown) => {
      if (error instanceof VerifierError) return false;
      // The sandbox's failure says nothing about the verifier.
      proven.delete(environment);
      throw error;
    },
  );
  proven.set(environment, tried);
  return tried;
}

async function judgeOnce(
  context: GymContext,
  environment: Environment,
  answer: string,
  since: number,
  signal?: AbortSignal,
): Promise<Scored> {
  const { deepgym, limits, name } = environment;
  if (deepgym === null) throw new GymError(`${name} has no DeepGym verifier`);
  const { name: sandbox } = context.sandboxes;
  if (sandbox !== 'local' && sandbox !== 'none') {
    throw new GymError(
      `${name}: a DeepGym verifier and the answer talk to each other while they run, which the sandbox ${sandbox} cannot do; use local`,
    );
  }
  const report = await runDeepGym(
    {
      ...deepgym,
      answer,
      limits: {
        seconds: limits.totalSeconds,
        memoryMb: limits.memoryMb,
        processes: limits.processes,
        outputKb: limits.outputKb,
        diskMb: limits.diskMb,
      },
      unisolated: sandbox === 'none',
    },
    signal,
  );
  const { stdout, stderr } = report.answerOutput;
  const result = resultOf(report, environment);
  if (typeof result === 'string') {
    return {
      ...worthless(environment, result, since),
      truncated: report.outOfTime !== null,
      stdout: keptOutput(stdout),
      stderr: keptOutput(stderr),
    };
  }
  const { cases, rewardComponents, metrics, truncated, passed } = result;
  return {
    kind: 'scored',
    score: cleanScore(result.score),
    passed,
    cases,
    rewardComponents,
    metrics,
    truncated,
    details: shorten(result.details ?? summary(result), 2000),
    stdout: keptOutput(stdout),
    stderr: keptOutput(stderr),
    ms: performance.now() - since,
  };
}

const summary = ({ cases, passed }: DeepGymResult): string =>
  cases.length > 0
    ? `${cases.filter((one) => one.passed).length} of ${cases.length} cases`
    : passed
      ? 'passed'
      : 'not passed';

/** The result, or in words why the answer has none and is worth nothing. @throws VerifierError when that is not the answer's doing */
function resultOf(report: DeepGymReport, { name, deepgym, limits }: Environment): DeepGymResult | string {
  const where = `${name}/verifier.py`;
  try {
    const { end, outOfTime } = report;
    if (end?.kind === 'unsupported') throw new Unsupported(end.message);
    if (end?.kind === 'returned') return readResult(end.result);
    const printed = deepgym!.standalone ? lastObject(report.stdout) : null;
    if (printed !== null) return readResult(printed);
    if (outOfTime === 'answer') return `no answer within ${limits.totalSeconds} s`;
    if (outOfTime === 'verifier') throw new VerifierError(`it did not end within ${limits.totalSeconds} s`);
    if (end?.kind === 'raised') {
      const what = end.message === '' ? end.type : `${end.type}: ${end.message}`;
      if (end.answer) return what;
      throw new VerifierError(`it raised ${what}`);
    }
    const said = report.stderr.trim();
    throw new VerifierError(`it gave no result${said === '' ? '' : `: ${brief(said)}`}`);
  } catch (error) {
    if (error instanceof Unsupported) throw new Unsupported(`${where}: ${error.message}`, { cause: error });
    if (error instanceof VerifierError) throw new VerifierError(`${where}: ${error.message}`, { cause: error });
    throw error;
  }
}
