import { describe, expect, test } from 'vitest';
import { createChatFormat } from '../../src/data/formats/chat.js';
import { config, golden, type LabelCase, smallTokenizer } from './support.js';

function labels({ template, eos, options, row }: LabelCase) {
  const { train_on_inputs = false, eot_tokens = null, ...dataset } = options;
  const settings = config({ type: 'chat_template', ...dataset });
  const entry = settings.datasets[0]!;
  if (entry.type !== 'chat_template') throw new Error('not a chat dataset');
  const format = createChatFormat({
    dataset: entry,
    tokenizer: smallTokenizer({ template, eos }),
    trainOnInputs: train_on_inputs as boolean,
    eotTokens: eot_tokens as string[] | null,
    templateKwargs: null,
  });
  const { tokens, trained } = format(row, { add: () => {} });
  return { ids: tokens, labels: tokens.map((id, at) => (trained[at] === 1 ? id : -100)) };
}

describe('labels equal those found by comparing two renderings per turn', () => {
  test.each(
    golden.cases.map((entry, number) => ({
      name: `${number} ${entry.template}, eos ${entry.eos}, ${JSON.stringify(entry.options)}`,
      entry,
    })),
  )('$name', ({ entry }) => {
    const found = labels(entry);
    expect(found.ids).toEqual(entry.ids);
    expect(found.labels).toEqual(entry.labels);
  });
});
