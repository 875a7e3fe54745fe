import type { Tokenizer } from '../tokenizer/index.js';
import { formatOrigin } from './errors.js';
import type { Example } from './example.js';

export interface PreviewOptions {
  /** Only the coloured text: no ids, nothing between tokens. Default false. */
  readonly textOnly?: boolean;
  /** ANSI colours. Default true. */
  readonly color?: boolean;
}

const codes = { red: 31, green: 32, yellow: 33, white: 37 } as const;

/**
 * An example with its labels for a terminal, as `--debug` shows it: every token followed by `(label, id)`, masked tokens (label
 * -100) red, trained ones green (yellow when their id is 0), then the number of tokens and of labels.
 */
export function formatPreview(
  example: Example,
  tokenizer: Tokenizer,
  { textOnly = false, color = true }: PreviewOptions = {},
): string {
  const paint = (name: keyof typeof codes, text: string) => (color ? `\u001b[${codes[name]}m${text}\u001b[0m` : text);
  const pieces: string[] = [];
  let labels = 0;
  for (const [at, id] of example.tokens.entries()) {
    const trained = example.trained[at] === 1;
    labels += Number(trained);
    const text = paint(!trained ? 'red' : id === 0 ? 'yellow' : 'green', tokenizer.decode([id]));
    pieces.push(textOnly ? text : `${text}${paint('white', `(${trained ? id : -100}, ${id})`)}`);
  }
  const summary = `${formatOrigin(example.origin)}: ${example.tokens.length} tokens, ${labels} labels`;
  return `${pieces.join(textOnly ? '' : ' ')}\n\n${summary}`;
}
