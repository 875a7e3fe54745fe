import { boolean, type Column, column, double, json, list, struct, text } from '../row-file.js';

export const rowKinds = ['rl', 'sft', 'prm'] as const;
export type RowKind = (typeof rowKinds)[number];

const messages = list('messages', struct('element', [column('role', text), column('content', text)]));

/** The columns of Parquet files. Actions and verdicts have no fixed shape, so they are JSON. */
export const rowColumns: Readonly<Record<RowKind, readonly Column[]>> = {
  sft: [messages],
  prm: [
    column('prompt', text),
    list('completions', column('element', text)),
    list('labels', column('element', boolean)),
  ],
  rl: [
    ...['id', 'kind', 'environment', 'variant', 'language'].map((name) => column(name, text)),
    column('model', text, true),
    column('seed', double, true),
    messages,
    column('actions', json),
    list('step_rewards', column('element', double)),
    column('reward', double),
    column('score', double),
    column('passed', boolean),
    column('verdict', json),
  ],
};
