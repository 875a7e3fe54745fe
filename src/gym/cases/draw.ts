import { describeProblems, type LocatedProblem } from '../../config/index.js';
import type { Case, Environment, Variant } from '../environment/types.js';
import type { GymContext } from '../types.js';
import { toValue, type Value } from '../value.js';
import { trustedCall } from '../verify/trusted-call.js';
import { VerifierError } from '../verify/verifier-error.js';
import { inputKey } from './input-key.js';
import { type ReadRow, readRows } from './rows.js';

/** How often a generator is asked again, for twice as many each time up to 16 times, when what it gave was used already. */
const maxDraws = 8;

/**
 * The generated cases of a variant: new inputs only, not in `taken`. Cases of one group are taken or left together, so a little
 * more than the wanted number may come.
 * @throws VerifierError when the generator fails, gives rubbish, or has too few inputs
 */
export async function drawCases(
  context: GymContext,
  environment: Environment,
  variant: Variant,
  seed: number,
  taken: ReadonlySet<string>,
): Promise<readonly Case[]> {
  const wanted = variant.generated;
  const cases: Case[] = [];
  const used = new Set(taken);
  const ids = new Set(variant.declared.map(({ id }) => id));
  for (let draw = 0; draw < maxDraws && cases.length < wanted; draw++) {
    // Many generators begin with the same few edge cases; only asking for more gets past those.
    const count = wanted * Math.min(2 ** draw, 16);
    const rows = await callGenerator(context, environment, variant, count, drawSeed(seed, draw));
    for (const unit of units(rows)) {
      if (cases.length >= wanted) break;
      const keys = unit.map((row) => inputKey(row.case));
      if (new Set(keys).size < keys.length || keys.some((key) => used.has(key))) continue;
      for (const key of keys) used.add(key);
      for (const row of unit) {
        const own = row.named && !ids.has(row.case.id) ? row.case.id : `generated-${cases.length + 1}`;
        ids.add(own);
        const { group } = row.case;
        // Draws number their groups alike without meaning the same ones.
        cases.push({ ...row.case, id: own, group: group === null || draw === 0 ? group : `${group}~${draw}` });
      }
    }
  }
  if (cases.length < wanted) {
    throw new VerifierError(
      `${environment.name}/${environment.generator!.source.path}: variant ${variant.name} wants ${wanted} inputs that no other variant has; ` +
        `${maxDraws} draws from seed ${seed} gave ${cases.length}. Ask for fewer with generate, or draw from more`,
    );
  }
  return cases;
}

/** A seed below 2^31, as small generators need; the first is the one that was asked for. */
function drawSeed(seed: number, draw: number): number {
  return draw === 0 ? seed : (seed + draw * 1_000_003) % 2_147_483_647;
}

/** Rows that count together. */
function units(rows: readonly ReadRow[]): ReadRow[][] {
  const found = new Map<string | number, ReadRow[]>();
  for (const row of rows) {
    const key = row.case.group ?? row.index;
    const unit = found.get(key);
    if (unit === undefined) found.set(key, [row]);
    else unit.push(row);
  }
  return [...found.values()];
}

async function callGenerator(
  context: GymContext,
  environment: Environment,
  { name, parameters }: Variant,
  count: number,
  seed: number,
): Promise<readonly ReadRow[]> {
  const { source, functionName } = environment.generator!;
  const argument = toValue({ count, seed, parameters });
  const where = `${environment.name}/${source.path}`;
  const [returned] = await trustedCall(context, environment, source, functionName, [[argument]], {
    describeCall: () => `for variant ${name}, count ${count}, seed ${seed}`,
  });
  if (!Array.isArray(returned)) throw new VerifierError(`${where}: ${functionName} returned no list of cases`);
  const problems: LocatedProblem[] = [];
  const rows = readRows(returned.map(unpack), environment.signature, (problem) =>
    problems.push({ ...problem, where: `${where}: returned` }),
  );
  for (const row of rows) {
    if (row.variant === null) continue;
    problems.push({
      path: [row.index, 'variant'],
      where: `${where}: returned`,
      message: 'a generated case belongs to the variant it was asked for; leave this out',
      about: 'key',
    });
  }
  const shown = problems.slice(0, 5);
  if (shown.length > 0) throw new VerifierError(describeProblems(shown));
  return rows;
}

/** A Value as plain data that `toValue` reads by the declared types. */
function unpack(value: Value): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(unpack);
  if ('t' in value) return value.t.map(unpack);
  if ('s' in value) return new Set(value.s.map(unpack));
  if ('i' in value) return BigInt(value.i);
  if ('d' in value) {
    const pairs = value.d.map(([key, item]) => [unpack(key), unpack(item)] as const);
    return pairs.every(([key]) => typeof key === 'string')
      ? Object.fromEntries(pairs as [string, unknown][])
      : new Map(pairs);
  }
  return value;
}
