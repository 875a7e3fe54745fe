import { parse, tokenize } from '@huggingface/jinja';
import { evaluateTemplate, templateVariables } from './jinja/evaluate.js';
import type { Node } from './jinja/nodes.js';
import { isText, type Run, rawText, type Text, trackedText } from './jinja/text.js';
import { JinjaError, toValue, type Value } from './jinja/values.js';
import { TokenizerError } from './tokenizer-json.js';
import type { ChatMessage, ChatTemplate, RenderedSpan, RenderOptions } from './types.js';

/** Fields of a message whose place is reported: what is said, and the names that models give to thinking. */
export const TRACKED_FIELDS = ['content', 'reasoning_content', 'thinking', 'reasoning'] as const;

interface Field {
  readonly message: number;
  readonly field: string;
  readonly text: string;
}

/**
 * A chat template as transformers' apply_chat_template renders it (Jinja2 with trim_blocks, lstrip_blocks, loop
 * controls, raise_exception, strftime_now, tojson). `variables` are bos_token and the like. Throws TokenizerError if
 * the template cannot be parsed, and on rendering if the template refuses the conversation.
 */
export function createChatTemplate(source: string, variables: Readonly<Record<string, string>>): ChatTemplate {
  const body = parseTemplate(source);

  const evaluate = (conversation: readonly unknown[], { addGenerationPrompt, tools, kwargs }: RenderOptions): Text => {
    const messages = conversation.map(toValue);
    try {
      return evaluateTemplate(
        body,
        templateVariables({
          ...variables,
          messages,
          tools: tools ?? null,
          documents: null,
          add_generation_prompt: addGenerationPrompt ?? false,
          ...kwargs,
        }),
      );
    } catch (error) {
      throw error instanceof JinjaError ? explain(error, source, messages) : error;
    }
  };

  return Object.freeze({
    source,
    render: (messages, options = {}) => rawText(evaluate(messages, options)),
    renderWithSpans(messages, options = {}) {
      const fields: Field[] = [];
      const tracked = messages.map((message, index) => trackFields(message, index, fields));
      const rendered = evaluate(tracked, options);
      const text = rawText(rendered);
      const spans = typeof rendered === 'string' ? [] : spansOf(text, rendered.runs, fields);
      return Object.freeze({ text, spans });
    },
  } satisfies ChatTemplate);
}

function parseTemplate(source: string): readonly Node[] {
  try {
    return parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true })).body as unknown as Node[];
  } catch (error) {
    throw new TokenizerError(`chat template: cannot be parsed: ${(error as Error).message}`, { cause: error });
  }
}

function trackFields(message: ChatMessage, index: number, fields: Field[]): Record<string, unknown> {
  const tracked: Record<string, unknown> = { ...message };
  for (const field of TRACKED_FIELDS) {
    const text = message[field];
    if (typeof text !== 'string') continue;
    tracked[field] = trackedText(text, fields.length);
    fields.push({ message: index, field, text });
  }
  return tracked;
}

/**
 * Spans from the runs of copied characters. Runs of a field that the template cut apart and put together again word for
 * word (a `</think>` that it splits at and writes anew) are one span; and where the rest of a field lies word for word
 * beside its copied part, it belongs to the span, except white space, which is the template's own.
 */
function spansOf(text: string, runs: readonly Run[], fields: readonly Field[]): RenderedSpan[] {
  const copied = new Set(runs.filter((run) => run.end > run.start).map((run) => run.source));
  const merged: Run[] = [];
  const latest = new Map<number, number>();
  for (const run of runs) {
    const known = latest.get(run.source);
    if (run.end === run.start && (copied.has(run.source) || known !== undefined)) continue;
    const last = known === undefined ? undefined : merged[known];
    if (last && joins(text, fields[run.source]!.text, last, run)) {
      merged[known!] = { ...last, end: run.end };
    } else {
      latest.set(run.source, merged.length);
      merged.push(run);
    }
  }
  const counts = new Map<number, number>();
  for (const { source } of merged) counts.set(source, (counts.get(source) ?? 0) + 1);
  return merged.map((run) => {
    const { message, field, text: whole } = fields[run.source]!;
    const { start, end, from } = counts.get(run.source) === 1 ? widen(text, whole, run) : run;
    return Object.freeze({ message, field, start, end, from });
  });
}

function joins(text: string, whole: string, last: Run, run: Run): boolean {
  const to = last.from + last.end - last.start;
  return (
    run.from >= to && run.from - to === run.start - last.end && whole.startsWith(text.slice(last.end, run.start), to)
  );
}

function widen(text: string, whole: string, run: Run): Run {
  let { start, end, from } = run;
  const before = whole.slice(0, from);
  if (before.trim() !== '' && text.startsWith(before, start - from)) {
    start -= from;
    from = 0;
  }
  const after = whole.slice(from + end - start);
  if (after.trim() !== '' && text.startsWith(after, end)) end += after.length;
  return { ...run, start, end, from };
}

function explain(error: JinjaError, source: string, messages: readonly Value[]): TokenizerError {
  const index = error.loopItems.map((item) => messages.indexOf(item)).find((found) => found >= 0);
  const message = index === undefined ? undefined : messages[index];
  const role = message instanceof Map ? message.get('role') : undefined;
  const where = index === undefined ? '' : ` at messages[${index}]${isText(role) ? ` (role ${rawText(role)})` : ''}`;
  const at = error.near === null || error.near === '' ? -1 : source.indexOf(error.near);
  const line = at < 0 ? '' : `, line ${source.slice(0, at).split('\n').length} of the template`;
  return new TokenizerError(`chat template${where}${line}: ${error.message}`, { cause: error });
}
