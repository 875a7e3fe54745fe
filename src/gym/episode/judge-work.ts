import type { CaseSet, Environment } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import { languageOfFile } from '../language.js';
import type { Sandbox } from '../sandbox/types.js';
import type { GymContext } from '../types.js';
import { toValue } from '../value.js';
import type { Scored } from '../verdict.js';
import { collect } from '../verify/collect.js';
import { verifyFunction } from '../verify/function.js';
import { worthless } from '../verify/score.js';
import { judgeWhole } from '../verify/whole.js';

/**
 * Judges the work directory as it stands. Only bytes leave it: the answer's file is read without following links and judged like any
 * other answer, in a process and a directory of its own, so nothing else that lies there has a say.
 * @throws SandboxError, VerifierError
 */
export async function judgeWork(
  context: GymContext,
  environment: Environment,
  cases: CaseSet,
  sandbox: Sandbox,
  signal?: AbortSignal,
): Promise<Scored> {
  const since = performance.now();
  const { episode } = environment;
  if (episode === null) throw new GymError(`${environment.name} is no environment in steps`);
  const { answerFile } = episode;
  if (answerFile === null) {
    const { files, cut } = await collect(sandbox, signal);
    const output = { value: toValue({ files, files_cut: cut }), shown: Object.keys(files).join(', '), reference: null };
    return judgeWhole(context, environment, cases, output, since, signal);
  }
  const bytes = await sandbox.readFile(answerFile);
  if (bytes === null) return worthless(environment, `there is no file ${answerFile}`, since);
  let answer: string;
  try {
    answer = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return worthless(environment, `${answerFile} is not UTF-8`, since);
  }
  return verifyFunction(context, environment, cases, answer, languageOfFile(answerFile) ?? 'python', signal);
}
