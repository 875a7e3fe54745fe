import { describeProblems, type LocatedProblem } from '../../config/index.js';
import { GymError } from '../gym-error.js';

/** Everything that is wrong with an environment's folder, each with its file, line and column. */
export class EnvironmentError extends GymError {
  override readonly name = 'EnvironmentError';
  readonly problems: readonly LocatedProblem[];

  constructor(problems: readonly LocatedProblem[]) {
    super(describeProblems(problems));
    this.problems = problems;
  }
}

/** Tells a problem of `environment.yaml` by the path of its key. */
export type Report = (path: readonly (string | number)[], message: string, about?: 'key' | 'value') => void;

/** What is wrong with a file as a whole. */
export function fileProblem(where: string, message: string): LocatedProblem {
  return { where: `${where}:`, path: [], about: 'value', message };
}
