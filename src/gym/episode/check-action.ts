import type { EpisodeSpec } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import { isRecord } from '../is-record.js';

/**
 * What types rule out, for callers that have none. An action that has a type and cannot be carried out is the agent's mistake, and
 * answered by an observation.
 * @throws GymError saying what an action is here
 */
export function checkAction(action: unknown, { actions }: EpisodeSpec): void {
  if (isRecord(action) && typeof action.type === 'string') return;
  const kinds = [
    ...actions.map((type) =>
      type === 'tool' ? "{type: 'tool', name: '…', arguments: {…}}" : `{type: '${type}', content: '…'}`,
    ),
    "{type: 'finish'}",
  ];
  throw new GymError(`the action is ${shown(action)}; wanted is ${kinds.join(' or ')}`);
}

function shown(action: unknown): string {
  if (typeof action === 'string') return JSON.stringify(action.slice(0, 60));
  if (typeof action === 'function') return 'a function';
  if (Array.isArray(action)) return 'a list';
  if (!isRecord(action)) return String(action);
  const keys = Object.keys(action).slice(0, 8);
  return `an object ${keys.length === 0 ? 'without keys' : `with the keys ${keys.join(', ')}`} and no text as its type`;
}
