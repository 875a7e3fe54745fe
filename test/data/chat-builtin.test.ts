import { describe, expect, test } from 'vitest';
import { createChatFormat } from '../../src/data/formats/chat.js';
import {
  BUILTIN_TEMPLATE_NAMES,
  builtinChatTemplate,
  type ChatMessage,
  type Tokenizer,
} from '../../src/tokenizer/index.js';
import { config, smallTokenizer } from './support.js';

const messages = [
  { role: 'user', content: 'What is two plus two?' },
  { role: 'assistant', content: 'It is four.' },
  { role: 'user', content: 'def add(a, b):\n    return a + b' },
  { role: 'assistant', content: 'Größe, 你好世界 🙂🎉\n\nThank you.' },
];

/** The tokens of a turn's content, as the differences between the real rendering and one with a placeholder. */
function spanByComparison(tokenizer: Tokenizer, turn: number): [number, number] {
  const ids = (list: readonly ChatMessage[]) => tokenizer.encode(tokenizer.chatTemplate!.render(list));
  const before = messages.slice(0, turn);
  const real = ids([...before, messages[turn]!]);
  const dummy = ids([...before, { role: messages[turn]!.role, content: '[[dummy_message]]' }]);
  const start = real.findIndex((id, at) => id !== dummy[at]);
  let end = 0;
  while (real.at(-1 - end) === dummy.at(-1 - end)) end++;
  return [start, real.length - end];
}

function trainedTokens(tokenizer: Tokenizer) {
  const dataset = config({ type: 'chat_template', train_on_eos: 'none' }).datasets[0]!;
  if (dataset.type !== 'chat_template') throw new Error('not a chat dataset');
  const setup = { dataset, tokenizer, trainOnInputs: false, eotTokens: null, templateKwargs: null };
  return createChatFormat(setup)({ messages }, { add: () => {} });
}

/** It writes an empty thinking block into the last answer only, so an answer reads otherwise once a turn follows. */
const rewritesEarlierTurns = ['qwen3'];

describe('with train_on_eos: none the trained tokens', () => {
  test.each(BUILTIN_TEMPLATE_NAMES)('of %s hold the answers and nothing else', (name) => {
    const tokenizer = smallTokenizer({ jinja: builtinChatTemplate(name) });
    const { tokens, trained } = trainedTokens(tokenizer);
    const text = tokenizer.decode(tokens.filter((_, at) => trained[at] === 1));
    expect(text.replace(/^ /, '').replace('four. ', 'four.')).toBe(`${messages[1]!.content}${messages[3]!.content}`);
  });

  test.each(BUILTIN_TEMPLATE_NAMES.filter((name) => !rewritesEarlierTurns.includes(name)))(
    'of %s are those found by comparing two renderings per turn',
    (name) => {
      const tokenizer = smallTokenizer({ jinja: builtinChatTemplate(name) });
      const { trained } = trainedTokens(tokenizer);
      const expected = new Uint8Array(trained.length);
      for (const turn of [1, 3]) expected.fill(1, ...spanByComparison(tokenizer, turn));
      expect(trained).toEqual(expected);
    },
  );
});
