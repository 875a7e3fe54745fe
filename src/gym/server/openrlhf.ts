import { problem } from './problem.js';

/** Marks that end a turn or a text, as tokenizers print them. */
const ending = /(?:\s*(?:<\|[^<>|\n]{1,40}\|>|<｜[^<>｜\n]{1,40}｜>|<\/s>|<eos>|<end_of_turn>|<pad>|\[PAD\]))+\s*$/;
const beginning = /^(?:<\|begin_of_text\|>|<｜begin▁of▁sentence｜>|<s>|<bos>)/;

/**
 * What the model wrote, from OpenRLHF's `query`: prompt and response in one text, special tokens included.
 * @throws a 422 where the query does not begin with the prompt, since a block of the prompt must not be taken for an answer
 */
export function responseOf(query: string, prompt: string, index: number): string {
  const whole = query.replace(beginning, '');
  const asked = prompt.replace(beginning, '');
  if (!whole.startsWith(asked)) {
    throw problem(
      422,
      `query ${index} does not begin with its prompt, so it is not clear which part of it is the answer`,
    );
  }
  const response = whole.slice(asked.length);
  // Only the end is looked at, or a text full of marks would cost its length squared.
  const tail = response.slice(-400);
  return response.slice(0, response.length - tail.length) + tail.replace(ending, '');
}

/** A label that says which environment: its name, `{environment, variant?}` or the JSON of that. null where it says nothing. */
export function rowOfLabel(label: unknown): { readonly dataSource: unknown; readonly extraInfo: unknown } | null {
  if (typeof label === 'string') {
    const text = label.trim();
    if (text === '') return null;
    return text.startsWith('{')
      ? { dataSource: undefined, extraInfo: text }
      : { dataSource: text, extraInfo: undefined };
  }
  return typeof label === 'object' && label !== null ? { dataSource: undefined, extraInfo: label } : null;
}
