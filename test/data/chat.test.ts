import { describe, expect, test } from 'vitest';
import { createChatFormat } from '../../src/data/formats/chat.js';
import type { Row } from '../../src/data/index.js';
import type { Tokenizer } from '../../src/tokenizer/index.js';
import { config, golden, smallTokenizer, type TokenizerOptions } from './support.js';

interface Setup extends TokenizerOptions {
  readonly options?: Record<string, unknown>;
  readonly keys?: Record<string, unknown>;
  readonly tokenizer?: Tokenizer;
}

function chatFormat({ options = {}, keys = {}, tokenizer, ...rest }: Setup = {}) {
  const settings = config({ type: 'chat_template', ...options }, keys);
  const dataset = settings.datasets[0]!;
  if (dataset.type !== 'chat_template') throw new Error('not a chat dataset');
  const used = tokenizer ?? smallTokenizer(rest);
  const notes: string[] = [];
  const format = createChatFormat({
    dataset,
    tokenizer: used,
    trainOnInputs: settings.train_on_inputs,
    eotTokens: settings.eot_tokens,
    templateKwargs: settings.chat_template_kwargs,
  });
  return { notes, format: (row: Row) => format(row, { add: (note) => notes.push(note) }), tokenizer: used };
}

/** The conversation with its trained stretches in ⟦ ⟧. */
function shown(row: Row, setup: Setup = {}): string {
  const { format, tokenizer } = chatFormat(setup);
  const { tokens, trained } = format(row);
  let text = '';
  for (let start = 0; start < tokens.length; ) {
    let end = start;
    while (end < tokens.length && trained[end] === trained[start]) end++;
    const piece = tokenizer.decode(tokens.slice(start, end));
    text += trained[start] === 1 ? `⟦${piece}⟧` : piece;
    start = end;
  }
  return text;
}

const user = (content: unknown, more = {}) => ({ role: 'user', content, ...more });
const assistant = (content: unknown, more = {}) => ({ role: 'assistant', content, ...more });
const exchange = (answer: unknown, more = {}) => ({ messages: [user('Hi'), assistant(answer, more)] });

describe('what is trained', () => {
  test('is the answer and the token that ends it', () => {
    expect(shown(exchange('Hello!'))).toBe(
      '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n⟦Hello!<|im_end|>⟧\n',
    );
  });

  test.each(['[[dummy_message]]', '[[see the list', 'as in [[a]]', 'assistant', 'Hi', '<|im_start|>user'])(
    'is the whole answer when it reads %j',
    (answer) => {
      expect(shown(exchange(answer))).toContain(`assistant\n⟦${answer}<|im_end|>⟧`);
    },
  );

  test('is every answer of equal text, each in its own place', () => {
    const messages = [user('yes'), assistant('yes'), user('yes'), assistant('yes')];
    expect(shown({ messages })).toBe(
      '<|im_start|>user\nyes<|im_end|>\n<|im_start|>assistant\n⟦yes<|im_end|>⟧\n'.repeat(2),
    );
  });

  test('includes a token in which the answer and the template meet', () => {
    const jinja = "{% for m in messages %}{{ m.role + ': ' + m.content + 'e' + eos_token }}{% endfor %}";
    expect(shown(exchange('is th'), { jinja })).toMatch(/assistant:⟦ is the<\|im_end\|>⟧$/);
  });

  test('does not include the first token, which nothing predicts', () => {
    const jinja = '{% for m in messages %}{{ m.content + eos_token }}{% endfor %}';
    const { format } = chatFormat({ jinja, options: { roles_to_train: ['user'] } });
    expect([...format({ messages: [user('four')] }).trained].slice(0, 1)).toEqual([0]);
  });
});

describe('the end of a turn', () => {
  test('that is not a stop token is told, with the token that stands there', () => {
    const { format, notes } = chatFormat({ eos: '<|endoftext|>' });
    format({ messages: [user('Hi'), assistant('a'), user('Hi'), assistant('b')] });
    expect(notes).toHaveLength(2);
    expect(notes[0]).toMatch(/goes on with "<\|im_end\|>", the stop tokens are <\|endoftext\|>.*eot_tokens/);
  });

  test('is not complained about when the options ask for no stop token', () => {
    const { format, notes } = chatFormat({ eos: '<|endoftext|>', options: { train_on_eos: 'none' } });
    format(exchange('a'));
    expect(notes).toEqual([]);
  });

  test('is looked for up to three tokens behind the text', () => {
    const gap = (text: string) =>
      `{% for m in messages %}{{ m.role + ':' + m.content + '${text}' + eos_token }}{% endfor %}`;
    expect(shown(exchange('ok'), { jinja: gap('#!#') })).toMatch(/⟦ok⟧#!#⟦<\|im_end\|>⟧$/);
    expect(shown(exchange('ok'), { jinja: gap('#!#!') })).toMatch(/⟦ok⟧#!#!<\|im_end\|>$/);
  });

  test('is not the stop token of the turn that follows', () => {
    const jinja =
      "{% for m in messages %}{{ m.content }}{% if m.role == 'assistant' %}{{ eos_token }}{% else %}{{ '\\n' }}{% endif %}{% endfor %}";
    const options = { roles_to_train: ['user'] };
    expect(shown({ messages: [user('Hi a'), assistant('b')] }, { jinja, options })).toBe('H⟦i a⟧\nb<|im_end|>');
  });

  test('eot_tokens that the template never writes are left out and told', () => {
    const { format, notes } = chatFormat({ keys: { eot_tokens: ['<|im_end|>', '<|eot_id|>'] } });
    format(exchange('a'));
    expect(notes).toEqual([expect.stringContaining('never writes <|eot_id|>')]);
  });

  test('must be a single token', () => {
    const jinja = `${golden.templates.chatml}{# <end> #}`;
    expect(() => chatFormat({ jinja, keys: { eot_tokens: ['<end>'] } })).toThrow(/"<end>" is \d+ tokens/);
  });

  test('may not be both trained and not trained', () => {
    const options = { train_on_eos: 'turn', train_on_eot: 'none' };
    expect(() => chatFormat({ options, keys: { eot_tokens: ['<|im_end|>'] } })).toThrow(
      /train_on_eos is turn and train_on_eot is none/,
    );
  });
});

describe('thinking and tool calls', () => {
  const thinking = { template: 'qwen' };

  test('thinking is trained from the tag that opens it', () => {
    expect(shown(exchange('4.', { reasoning_content: 'Add.' }), thinking)).toContain(
      'assistant\n⟦<think>\nAdd.\n</think>\n\n4.<|im_end|>⟧',
    );
  });

  test('a tag that the generation prompt already holds is not trained', () => {
    const jinja =
      "{% for m in messages %}{% if m.role == 'assistant' %}{{ 'A:<think>\\n' + m.reasoning_content + '\\n</think>' + m.content + eos_token }}" +
      "{% else %}{{ 'U:' + m.content + '\\n' }}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ 'A:<think>\\n' }}{% endif %}";
    expect(shown(exchange('4.', { reasoning_content: 'Add.' }), { jinja })).toBe(
      'U:Hi\nA:<think>\n⟦Add.\n</think>4.<|im_end|>⟧',
    );
  });

  test.each([
    ['<think>\nAdd.\n</think>\n\n4.'],
    ['<reasoning>Add.</reasoning>4.'],
    ['<|begin_of_thought|>Add.<|end_of_thought|>\n<|begin_of_solution|>4.<|end_of_solution|>'],
  ])('split_thinking moves the thinking out of %j', (content) => {
    const setup = { ...thinking, options: { split_thinking: true } };
    expect(shown(exchange(content), setup)).toContain('⟦<think>\nAdd.\n</think>\n\n4.<|im_end|>⟧');
  });

  test('field_thinking is read into the key of the template', () => {
    const setup = { ...thinking, options: { field_thinking: 'thoughts' } };
    expect(shown(exchange('4.', { thoughts: 'Add.' }), setup)).toContain('⟦<think>\nAdd.\n</think>');
  });

  test('thinking without an answer is trained to the end of the turn', () => {
    expect(shown(exchange('', { reasoning_content: 'Add.' }), thinking)).toContain(
      '⟦<think>\nAdd.\n</think>\n\n<|im_end|>⟧',
    );
  });

  test('thinking that the template leaves out is told', () => {
    const { format, notes } = chatFormat();
    format(exchange('4.', { reasoning_content: 'Add.' }));
    expect(notes).toEqual([expect.stringContaining('leaves out the thinking')]);
  });

  const call = { function: { name: 'get_weather', arguments: '{"city": "Paris"}' } };

  test('tool calls are trained, with arguments given as JSON text decoded', () => {
    expect(shown(exchange(null, { tool_calls: [call] }), thinking)).toContain(
      'assistant\n⟦<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call><|im_end|>⟧',
    );
  });

  test('tool calls whose end cannot be found drop the row', () => {
    const { format } = chatFormat({ ...thinking, eos: '<|endoftext|>' });
    expect(() => format(exchange(null, { tool_calls: [call] }))).toThrow(
      /end of a turn with tool calls.*<\|endoftext\|>.*eot_tokens/,
    );
  });

  test('tools and their parameters may be JSON text', () => {
    const tool = { function: { name: 'f', parameters: '{"type": "object"}' } };
    expect(shown({ ...exchange('ok'), tools: JSON.stringify([tool]) }, thinking)).toContain(
      '"parameters": {"type": "object"}',
    );
  });
});

describe('how rows may be written', () => {
  test('messages as JSON text, ShareGPT names and other columns', () => {
    const conversations = JSON.stringify([
      { from: 'human', value: 'Hi' },
      { from: 'gpt', value: 'Hello!' },
    ]);
    const options = { field_messages: 'conversations', message_property_mappings: { role: 'from', content: 'value' } };
    expect(shown({ conversations }, { options })).toBe(shown(exchange('Hello!')));
  });

  test('a system column becomes the first turn, unless there is one or it is not wanted', () => {
    const row = { system: 'Be brief.', ...exchange('ok') };
    expect(shown(row)).toMatch(/^<\|im_start\|>system\nBe brief\.<\|im_end\|>\n<\|im_start\|>user/);
    expect(shown(row, { options: { drop_system_message: true } })).toMatch(/^<\|im_start\|>user/);
    const own = {
      system: 'Be brief.',
      messages: [{ role: 'system', content: 'Be long.' }, user('Hi'), assistant('ok')],
    };
    expect(shown(own)).toMatch(/^<\|im_start\|>system\nBe long\.<\|im_end\|>\n<\|im_start\|>user/);
    expect(shown(own, { options: { drop_system_message: true } })).toMatch(/^<\|im_start\|>user/);
  });

  test('roles map to those of the template, and roles_to_train with them; others pass through and are told', () => {
    const options = { roles: { user: ['q'], assistant: ['bot'] }, roles_to_train: ['bot'] };
    const messages = [
      { role: 'q', content: 'Hi' },
      { role: 'bot', content: 'ok' },
      { role: 'narrator', content: 'end' },
    ];
    const { format, notes, tokenizer } = chatFormat({ options });
    expect(tokenizer.decode(format({ messages }).tokens)).toContain('<|im_start|>narrator\nend');
    expect(notes).toEqual([expect.stringContaining('Role "narrator"')]);
    expect(shown({ messages }, { options })).toContain('<|im_start|>assistant\n⟦ok<|im_end|>⟧');
  });

  test('parts are joined and their flags say what is trained', () => {
    expect(shown(exchange([{ type: 'text', text: 'It is ' }, { content: 'four.' }]))).toContain(
      '⟦It is four.<|im_end|>⟧',
    );
    const flagged = [
      { text: 'Hello!', train: true },
      { text: ' Paris', weight: 0 },
      { text: ' four', weight: 1 },
      { text: ' eight' },
    ];
    expect(shown(exchange(flagged))).toContain('assistant\n⟦Hello!⟧ Paris⟦ four⟧ eight⟦<|im_end|>⟧');
  });
});

describe('training detail', () => {
  const options = { message_field_training_detail: 'detail' };
  const detail = (...ranges: [number, number, boolean][]) => ({
    detail: ranges.map(([begin_offset, end_offset, train]) => ({ begin_offset, end_offset, train })),
  });

  test('trains the characters it names, ends included, in a turn of any role', () => {
    expect(shown({ messages: [user('Hi you', detail([2, 5, true])), assistant('ok')] }, { options })).toContain(
      'user\nHi⟦ you<|im_end|>⟧',
    );
    expect(shown(exchange('Hi, it is four', detail([0, 2, false], [3, 8, true])), { options })).toContain(
      'assistant\nHi,⟦ it is⟧ four⟦<|im_end|>⟧',
    );
  });

  test('offsets count Unicode characters', () => {
    expect(shown(exchange('🙂🎉ab', detail([0, 1, false], [2, 3, true])), { options })).toContain(
      'assistant\n🙂🎉⟦ab<|im_end|>⟧',
    );
  });

  test('a token that reaches beyond its range is masked and told', () => {
    const row = exchange('x the', detail([0, 2, true], [3, 4, false]));
    expect(shown(row, { options })).toContain('⟦x⟧ the⟦<|im_end|>⟧');
    const { format, notes } = chatFormat({ options });
    format(row);
    expect(notes).toEqual([expect.stringContaining('ends inside a token')]);
  });

  test('follows the text that a template trims', () => {
    expect(
      shown(exchange('  ab four ', detail([2, 3, true])), { options, template: 'llama3', eos: '<|eot_id|>' }),
    ).toContain('⟦ab⟧ four⟦<|eot_id|>⟧');
  });

  test('an empty list leaves the rule of the role', () => {
    expect(shown(exchange('ok', { detail: [] }), { options })).toContain('⟦ok<|im_end|>⟧');
  });

  test.each([
    [[{ begin_offset: 0, end_offset: 9, train: true }], /do not lie in order inside the content.*of 2 characters/],
    [[{ begin_offset: 1, end_offset: 0, train: true }], /in order/],
    [[{ begin: 0 }], /not \{begin_offset, end_offset, train\}/],
    ['all', /not a list/],
  ])('%j is refused', (value, message) => {
    expect(() => chatFormat({ options }).format(exchange('ok', { detail: value }))).toThrow(message);
  });
});

describe('rows that cannot be used', () => {
  test.each([
    ['no messages', {}, /column `messages` is missing/],
    ['an empty list', { messages: [] }, /has no turns/],
    ['broken JSON text', { messages: '[{' }, /column `messages` is a text that is not valid JSON/],
    ['no list', { messages: 3 }, /not a list of messages: 3/],
    ['no message', { messages: ['x'] }, /message is not an object: message 0/],
    ['no role', { messages: [{ content: 'x' }] }, /no role under `role`: message 0/],
    ['no content', { messages: [user('Hi'), { role: 'assistant' }] }, /no content under `content`: message 1/],
    ['a number as content', exchange(4), /neither a text nor a list of parts: message 1, content: 4/],
    ['an empty answer', exchange(''), /trained turn is empty: message 1, assistant/],
    ['a blank answer', { messages: [user('Hi'), assistant(' \n')] }, /trained turn is empty/],
    ['a fraction as weight', exchange([{ text: 'x', weight: 0.5 }]), /`weight` of a part/],
    [
      'broken arguments',
      exchange(null, { tool_calls: [{ function: { name: 'f', arguments: '{' } }] }),
      /arguments of a tool call/,
    ],
  ])('%s', (_name, row, message) => {
    expect(() => chatFormat().format(row)).toThrow(message);
  });

  test('a trained turn that the template leaves out', () => {
    const jinja = "{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}{% endif %}{% endfor %}";
    expect(() => chatFormat({ jinja }).format(exchange('ok'))).toThrow(
      /leaves out the text of a trained turn: message 1/,
    );
  });

  test('a conversation that the template refuses', () => {
    const jinja = "{{ raise_exception('roles must alternate') }}";
    expect(() => chatFormat({ jinja }).format(exchange('ok'))).toThrow(
      /refuses the conversation: .*roles must alternate/,
    );
  });
});

test('a tokenizer without chat template is an error that says what to set', () => {
  const tokenizer = { ...smallTokenizer(), chatTemplate: null };
  expect(() => chatFormat({ tokenizer })).toThrow(/no chat template.*chat_template/);
});

test('a conversation of 2,000 turns is rendered once and tokenised once', () => {
  const base = smallTokenizer();
  const calls = { render: 0, encode: 0 };
  const tokenizer: Tokenizer = {
    ...base,
    encode: (...args) => {
      calls.encode++;
      return base.encode(...args);
    },
    encodeWithOffsets: (...args) => {
      calls.encode++;
      return base.encodeWithOffsets(...args);
    },
    chatTemplate: {
      source: base.chatTemplate!.source,
      render: (...args) => {
        calls.render++;
        return base.chatTemplate!.render(...args);
      },
      renderWithSpans: (...args) => {
        calls.render++;
        return base.chatTemplate!.renderWithSpans(...args);
      },
    },
  };
  const { format } = chatFormat({ tokenizer });
  calls.encode = 0;
  const messages = Array.from({ length: 1000 }, (_, turn) => [
    user(`What is ${turn}?`),
    assistant(`It is ${turn}.`),
  ]).flat();
  const { parts } = format({ messages });
  expect(parts).toHaveLength(2000);
  expect(calls).toEqual({ render: 1, encode: 1 });
});
