import { createHash } from 'node:crypto';
import { didYouMean } from '../../config/index.js';
import { freeze } from '../environment/freeze.js';
import type { Case, CaseSet, Environment, Variant } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { Runner } from '../runner/types.js';
import type { GymContext } from '../types.js';
import { drawCases } from './draw.js';
import { withExpected } from './expect.js';
import { inputKey } from './input-key.js';

export { inputKey } from './input-key.js';

/** Case sets kept per runner; the oldest goes when a run asks for another seed at every step. */
const maxKept = 512;
const kept = new WeakMap<Runner, Map<string, Promise<unknown>>>();

/** The variant and seed that `eval` or `train@7` means. @throws GymError naming the variants there are */
export function parseVariant(
  environment: Environment,
  text = environment.defaultVariant,
): { variant: Variant; seed: number } {
  const { variants, name: environmentName } = environment;
  const [name = '', seedText, ...rest] = text.split('@');
  const variant = Object.hasOwn(variants, name) ? variants[name] : undefined;
  if (variant === undefined) {
    const names = Object.keys(variants);
    const why =
      (name === 'eval' || name === 'holdout') && environment.generator === null && environment.deepgym === null
        ? '; without a generator it exists when cases are declared for it'
        : didYouMean(name, names);
    throw new GymError(
      `${environmentName} has no variant ${JSON.stringify(name)}; there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}${why}`,
    );
  }
  if (seedText === undefined) return { variant, seed: variant.seed };
  const seed = /^\d{1,10}$/.test(seedText) && rest.length === 0 ? Number(seedText) : Number.NaN;
  if (!(seed < 2 ** 31))
    throw new GymError(`${JSON.stringify(text)}: expected a seed below 2^31 after @, such as ${name}@7`);
  if (variant.generated === 0)
    throw new GymError(`${environmentName}: variant ${name} generates no cases, so it takes no seed`);
  return { variant, seed };
}

/**
 * The cases of a variant, made ready: declared ones, generated ones, and what is expected of each. Made once for each variant, seed and
 * content of the environment. Generated inputs are new: none is declared anywhere, `eval` has none of `holdout`, and every other
 * variant none of the two; with a seed of its own, `eval@7` has none of `holdout` and `train`.
 * @throws GymError for an unknown variant; VerifierError when the environment's generator or reference fails; SandboxError
 */
export async function openCases(
  context: GymContext,
  environment: Environment,
  variant?: string,
  signal?: AbortSignal,
): Promise<CaseSet> {
  signal?.throwIfAborted();
  const asked = parseVariant(environment, variant);
  const cases = remember(context, environment, 'set', asked, async (): Promise<CaseSet> => {
    const all = [...asked.variant.declared, ...(await drawn(context, environment, asked.variant, asked.seed))];
    const ready = await withExpected(context, environment, all);
    const hash = createHash('sha256').update(JSON.stringify(ready)).digest('hex');
    return freeze({ variant: asked.variant.name, seed: asked.seed, cases: ready, hash });
  });
  return signal === undefined ? cases : abortable(cases, signal);
}

function drawn(
  context: GymContext,
  environment: Environment,
  variant: Variant,
  seed: number,
): Promise<readonly Case[]> {
  if (variant.generated === 0) return Promise.resolve([]);
  return remember(context, environment, 'drawn', { variant, seed }, async () => {
    const declared = Object.values(environment.variants).flatMap((other) => other.declared);
    const taken = new Set(declared.map(inputKey));
    for (const other of apartFrom(environment, variant, seed)) {
      for (const one of await drawn(context, environment, other, other.seed)) taken.add(inputKey(one));
    }
    return drawCases(context, environment, variant, seed, taken);
  });
}

/** The variants, at their own seeds, that a variant shares no input with. The order holdout, eval, others ends the recursion. */
function apartFrom({ variants }: Environment, { name, seed: ownSeed }: Variant, seed: number): readonly Variant[] {
  const names =
    seed !== ownSeed && (name === 'eval' || name === 'holdout')
      ? ['holdout', 'eval', 'train']
      : ({ holdout: [], eval: ['holdout'] }[name] ?? ['holdout', 'eval']);
  return names.flatMap((other) => (other !== name && variants[other] !== undefined ? [variants[other]] : []));
}

/** The promise made for this before, or a new one. One that fails is forgotten, so that a retry tries again. */
function remember<T>(
  { runner }: GymContext,
  { name, contentHash }: Environment,
  what: string,
  { variant, seed }: { readonly variant: Variant; readonly seed: number },
  make: () => Promise<T>,
): Promise<T> {
  const cache = kept.get(runner) ?? new Map<string, Promise<unknown>>();
  kept.set(runner, cache);
  const key = JSON.stringify([what, name, contentHash, variant.name, seed]);
  const found = cache.get(key) as Promise<T> | undefined;
  if (found !== undefined) return found;
  const made = make();
  cache.set(key, made);
  made.catch(() => {
    if (cache.get(key) === made) cache.delete(key);
  });
  if (cache.size > maxKept) cache.delete(cache.keys().next().value!);
  return made;
}

/** Work that others may wait for as well goes on; only this caller leaves. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
