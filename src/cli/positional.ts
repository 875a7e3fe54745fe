import { UserError } from '../config/index.js';

/** The one argument that a command takes beside its options. */
export function onePositional(verb: string, positionals: readonly string[], what: string): string {
  const [first, second] = positionals;
  if (first === undefined) throw new UserError(`anneal ${verb} needs ${what}; see anneal ${verb} --help`);
  if (second !== undefined) {
    throw new UserError(`anneal ${verb} takes one argument, ${what}; there is also ${JSON.stringify(second)}`);
  }
  return first;
}
