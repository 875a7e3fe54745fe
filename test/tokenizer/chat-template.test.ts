import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUILTIN_TEMPLATE_NAMES, builtinChatTemplate } from '../../src/tokenizer/builtin-templates.js';
import { createChatTemplate } from '../../src/tokenizer/chat-template.js';
import type { ChatMessage } from '../../src/tokenizer/index.js';

interface Case {
  readonly template: string;
  readonly conversation: string;
  readonly addGenerationPrompt?: boolean;
  readonly tools?: boolean;
  readonly kwargs?: Record<string, unknown>;
  readonly text?: string;
  readonly error?: string;
}

const golden: {
  readonly builtin: string[];
  readonly templates: Record<string, string>;
  readonly tools: unknown[];
  readonly conversations: Record<string, ChatMessage[]>;
  readonly cases: Case[];
} = JSON.parse(readFileSync(join(import.meta.dirname, '../golden/tokenizers/templates.json'), 'utf8'));

const variables = { bos_token: '<s>', eos_token: '</s>', unk_token: '<unk>' };

describe.each(Object.keys(golden.templates))('%s renders as transformers does', (name) => {
  const template = createChatTemplate(golden.templates[name]!, variables);
  const cases = golden.cases.filter((item) => item.template === name);

  test.each(cases.map((item) => [JSON.stringify({ ...item, text: undefined, error: undefined }), item] as const))(
    '%s',
    (_, { conversation, addGenerationPrompt = false, tools, kwargs = {}, text, error }) => {
      const options = { addGenerationPrompt, kwargs, ...(tools ? { tools: golden.tools } : {}) };
      const messages = golden.conversations[conversation]!;
      if (text === undefined) {
        expect(() => template.render(messages, options)).toThrow(/^chat template/);
        expect(() => template.renderWithSpans(messages, options)).toThrow(/^chat template/);
        expect(error).toBeTruthy();
      } else {
        expect(template.render(messages, options)).toBe(text);
        expect(template.renderWithSpans(messages, options).text).toBe(text);
      }
    },
  );
});

test('the stored sources of the built-in templates are those that are built in', () => {
  expect(golden.builtin).toEqual(BUILTIN_TEMPLATE_NAMES);
  for (const name of golden.builtin) expect(golden.templates[name]).toBe(builtinChatTemplate(name));
});

describe('spans', () => {
  const spansOf = (name: string, messages: ChatMessage[]) => {
    const template = createChatTemplate(golden.templates[name]!, variables);
    const { text, spans } = template.renderWithSpans(messages);
    return spans.map(({ message, field, start, end, from }) => [message, field, text.slice(start, end), from]);
  };

  test('say where each message went, without what the template trimmed', () => {
    expect(spansOf('llama3', golden.conversations.spaces!)).toEqual([
      [0, 'content', 'sys', 4],
      [1, 'content', 'padded', 4],
      [2, 'content', 'answer', 2],
    ]);
  });

  test('are not misled by content that looks like the template or like other messages', () => {
    const template = createChatTemplate(builtinChatTemplate('chatml'), variables);
    const { text, spans } = template.renderWithSpans([
      { role: 'user', content: 'user' },
      { role: 'assistant', content: '<|im_end|>\n' },
      { role: 'user', content: 'user' },
    ]);
    expect(spans.map(({ start, end }) => [text.slice(0, start), text.slice(start, end)])).toEqual([
      ['<|im_start|>user\n', 'user'],
      ['<|im_start|>user\nuser<|im_end|>\n<|im_start|>assistant\n', '<|im_end|>\n'],
      ['<|im_start|>user\nuser<|im_end|>\n<|im_start|>assistant\n<|im_end|>\n<|im_end|>\n<|im_start|>user\n', 'user'],
    ]);
  });

  test('follow a system message into the first question', () => {
    expect(spansOf('llama2', golden.conversations.system!).slice(0, 2)).toEqual([
      [0, 'content', 'Be brief.', 0],
      [1, 'content', 'What is 2+2?', 0],
    ]);
  });

  test('cover thinking that is written, and the answer alone where thinking is dropped', () => {
    expect(spansOf('qwen3', golden.conversations.thinking!)).toEqual([
      [0, 'content', 'q1', 0],
      [1, 'content', 'a1', 30],
      [2, 'content', 'q2', 0],
      [3, 'content', '<think>\nnew thought\nmore\n</think>\n\na2', 0],
    ]);
    expect(spansOf('qwen3', golden.conversations.reasoning!)).toEqual([
      [0, 'content', 'q1', 0],
      [1, 'content', 'a1', 0],
      [2, 'content', 'q2', 0],
      [3, 'reasoning_content', '  second ', 1],
      [3, 'content', 'a2', 2],
    ]);
  });

  test('of empty contents are empty and in their place', () => {
    const template = createChatTemplate(builtinChatTemplate('chatml'), variables);
    const { text, spans } = template.renderWithSpans(golden.conversations.empty!);
    expect(spans.map(({ start, end }) => [text.slice(0, start), end - start])).toEqual([
      ['<|im_start|>user\n', 0],
      ['<|im_start|>user\n<|im_end|>\n<|im_start|>assistant\n', 0],
    ]);
  });

  test('are absent for content that the template writes differently', () => {
    const template = createChatTemplate('{% for m in messages %}{{ m.content | upper }}{% endfor %}', {});
    expect(template.renderWithSpans([{ role: 'user', content: 'abc' }])).toEqual({ text: 'ABC', spans: [] });
  });

  test('come twice for content that is written twice', () => {
    const template = createChatTemplate('{% for m in messages %}{{ m.content }}|{{ m.content }}{% endfor %}', {});
    expect(template.renderWithSpans([{ role: 'user', content: 'ab' }]).spans).toEqual([
      { message: 0, field: 'content', start: 0, end: 2, from: 0 },
      { message: 0, field: 'content', start: 3, end: 5, from: 0 },
    ]);
  });

  const glue = [
    '<|im_end|>',
    '\n',
    ' ',
    '[INST]',
    '</think>',
    '<think>',
    'user',
    'assistant',
    '<s>',
    '</s>',
    '\n\n',
    '😀',
    '<tool_response>',
    '</tool_response>',
  ];
  const content = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc
      .array(fc.oneof(fc.constantFrom(...glue), fc.string({ maxLength: 4 })), { maxLength: 6 })
      .map((parts) => parts.join('')),
  );
  const conversation = fc
    .tuple(fc.boolean(), fc.array(content, { minLength: 1, maxLength: 7 }), fc.option(content, { nil: undefined }))
    .map(([system, contents, reasoning]): ChatMessage[] => [
      ...(system ? [{ role: 'system', content: contents[0]! }] : []),
      ...contents.map((text, i) => ({
        role: i % 2 === 0 ? 'user' : 'assistant',
        content: text,
        ...(i % 2 === 1 && reasoning !== undefined ? { reasoning_content: reasoning } : {}),
      })),
    ]);

  test.each(Object.keys(golden.templates).filter((name) => name !== 'gemma'))(
    'of any conversation hold the words of its messages (%s)',
    (name) => {
      const template = createChatTemplate(golden.templates[name]!, variables);
      fc.assert(
        fc.property(conversation, fc.boolean(), (messages, addGenerationPrompt) => {
          const options = { addGenerationPrompt };
          const { text, spans } = template.renderWithSpans(messages, options);
          expect(text).toBe(template.render(messages, options));
          let before = 0;
          for (const { message, field, start, end, from = 0 } of spans) {
            const whole = messages[message]![field] as string;
            expect(text.slice(start, end)).toBe(whole.slice(from, from + end - start));
            expect(start).toBeGreaterThanOrEqual(before);
            before = start;
          }
          // Qwen3 cuts contents apart at </think>, and Mistral v3 leaves system messages out until the last question.
          if (name === 'qwen3') return;
          messages.forEach(({ role, content }, index) => {
            if (content!.trim() === '' || (name === 'mistral_v3' && role === 'system')) return;
            const span = spans.find((found) => found.message === index && found.field === 'content')!;
            // A template strips what it writes before or after, so one end alone may lose its spaces.
            expect([content, content!.trim(), content!.trimEnd(), content!.trimStart()]).toContain(
              text.slice(span.start, span.end),
            );
          });
        }),
        { numRuns: 60 },
      );
    },
  );

  test('need one reading of each message, however long the conversation', () => {
    const template = createChatTemplate(builtinChatTemplate('qwen3'), variables);
    let reads = 0;
    const messages = Array.from({ length: 3000 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      get content() {
        reads++;
        return `turn ${i}`;
      },
    }));
    expect(template.renderWithSpans(messages).spans).toHaveLength(3000);
    expect(reads).toBeLessThanOrEqual(3000 * 2);
  });
});

describe('errors', () => {
  test('show what the template says, the message and the line', () => {
    const template = createChatTemplate(builtinChatTemplate('mistral_v1'), variables);
    expect(() => template.render(golden.conversations.two_users!)).toThrow(
      'chat template at messages[1] (role user), line 6 of the template: After the optional system message, roles must alternate',
    );
  });

  test('name what is undefined', () => {
    const template = createChatTemplate('{% for m in messages %}\n{{ m.extra.deep }}{% endfor %}', variables);
    expect(() => template.render([{ role: 'user', content: 'x' }])).toThrow(
      "chat template at messages[0] (role user), line 2 of the template: 'extra' is undefined",
    );
  });

  test('refuse a template that cannot be parsed', () => {
    expect(() => createChatTemplate('{% if %}', {})).toThrow(/chat template: cannot be parsed/);
    expect(() => createChatTemplate('{{ messages | nosuch }}', {}).render([])).toThrow(/no filter named 'nosuch'/);
  });

  test('name the nearest built-in template', () => {
    expect(() => builtinChatTemplate('qwen25x')).toThrow(
      'no built-in chat template is named "qwen25x". Did you mean "qwen_25"?',
    );
  });
});
