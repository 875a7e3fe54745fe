import { randomBytes } from 'node:crypto';
import { environmentFromDeepGym, listEnvironments, loadByName, loadSuite } from '../environment/index.js';
import type { Environment } from '../environment/types.js';
import { problem } from './problem.js';

/** The environments that clients can name: the built-in ones, those given at the start, and those that clients made. */
export interface ServedEnvironments {
  /** By id or name. @throws GymError or a 404 */
  named(name: string): Promise<Environment>;
  /** A name, or the JSON of an environment of the DeepGym kind. */
  resolve(reference: string | Readonly<Record<string, unknown>>): Promise<Environment>;
  suite(name: string): Promise<readonly Environment[]>;
  list(): Promise<readonly (readonly [id: string, environment: Environment])[]>;
  /** @returns its id. @throws a 429 when there are too many */
  add(json: unknown): { readonly id: string; readonly environment: Environment };
}

const mostMade = 1000;

export function serveEnvironments(given: readonly Environment[]): ServedEnvironments {
  const made = new Map<string, Environment>();
  const own = new Map(given.map((environment) => [environment.name, environment]));

  // Never a path: a client has no business with the folders of this machine.
  async function named(name: string): Promise<Environment> {
    return made.get(name) ?? own.get(name) ?? loadByName(name);
  }

  return {
    named,
    resolve: async (reference) =>
      typeof reference === 'string' ? named(reference) : environmentFromDeepGym(reference),
    async suite(name) {
      for (const part of name.split(',').map((text) => text.trim())) {
        if (/^[./\\]|^[a-z]:/i.test(part)) throw problem(422, `suite: ${part} is a path; a suite is named`);
      }
      const parts = name.split(',').map((text) => text.trim());
      if (parts.every((part) => own.has(part))) return parts.map((part) => own.get(part)!);
      return loadSuite(name);
    },
    async list() {
      const builtIn = (await listEnvironments()).filter(({ name }) => !own.has(name));
      return [...[...own.values(), ...builtIn].map((one) => [one.name, one] as const), ...made];
    },
    add(json) {
      const environment = environmentFromDeepGym(json);
      if (made.size >= mostMade) throw problem(429, `there are ${mostMade} environments already`);
      const id = randomBytes(6).toString('hex');
      made.set(id, environment);
      return { id, environment };
    },
  };
}
