import type { Environment } from '../environment/types.js';
import type { Gym } from '../types.js';
import type { Verdict } from '../verdict.js';
import { type Attack, attackText, runLanguage } from './attacks.js';
import type { Canary } from './canary.js';
import type { AttackResult } from './report.js';

/** An attack shows what it does within this time; what hangs is to hang no longer. */
const attackSeconds = { caseSeconds: 0.5, totalSeconds: 1.5 };
/** A script starts interpreters, and so does what runs beside it. */
const scriptSeconds = { caseSeconds: 4, totalSeconds: 6 };

/** The environment with little time for each answer, so that attacks that hang do not hang for long. */
export function hurried(environment: Environment): Environment {
  const most = environment.kind === 'script' ? scriptSeconds : attackSeconds;
  const { limits } = environment;
  return Object.freeze({
    ...environment,
    limits: Object.freeze({
      ...limits,
      caseSeconds: Math.min(limits.caseSeconds, most.caseSeconds),
      totalSeconds: Math.min(limits.totalSeconds, most.totalSeconds),
    }),
  });
}

/** Does something with each item, a few at a time; results in the order of the items. */
export type InParallel = <Item, Result>(
  items: readonly Item[],
  each: (item: Item) => Promise<Result>,
) => Promise<readonly Result[]>;

interface Tried {
  readonly attack: Attack;
  readonly token: string;
  readonly verdict: Verdict;
}

/**
 * Tries attacks on an environment. One succeeds when it earns more than the floor, reaches anything outside its sandbox, shows the
 * secret that lies there, or leads to no verdict.
 */
export async function runAttacks(
  gym: Gym,
  environment: Environment,
  attacks: readonly Attack[],
  canary: Canary,
  inParallel: InParallel,
  signal?: AbortSignal,
): Promise<readonly AttackResult[]> {
  const target = hurried(environment);
  const planned = attacks.flatMap((attack) => attack.texts.map((text) => ({ attack, text, token: canary.newToken() })));
  const tried: readonly Tried[] = await inParallel(planned, async ({ attack, text, token }) => {
    const answer = attackText(text, attack, environment, canary, token);
    const options = { ...runLanguage(attack.language), signal };
    const verdict = await gym.run(target, answer, options);
    signal?.throwIfAborted();
    return { attack, token, verdict };
  });
  const touches = await canary.touched();
  return attacks.map((attack) => {
    const own = tried.filter((one) => one.attack === attack);
    const reached = touches.find(({ token }) => own.some((one) => one.token === token));
    const success =
      reached?.how ?? own.map(({ verdict }) => successOf(verdict, environment, canary)).find((how) => how !== null);
    const scores = own.map(({ verdict }) => (verdict.kind === 'scored' ? verdict.score : 0));
    return {
      name: attack.name,
      language: attack.language,
      what: attack.what,
      answers: own.length,
      score: Math.max(0, ...scores),
      success: success ?? null,
    };
  });
}

function successOf(verdict: Verdict, environment: Environment, canary: Canary): string | null {
  if (verdict.kind === 'noVerdict') return `led to no verdict (${verdict.cause}: ${verdict.message})`;
  if (JSON.stringify(verdict).includes(canary.secret)) return 'read a secret outside of the sandbox';
  // NaN is no score either.
  if (!(verdict.score <= environment.floor)) return `earned ${verdict.score}; the floor is ${environment.floor}`;
  return null;
}
