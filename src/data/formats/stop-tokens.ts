import { type ChatTemplateDataset, UserError } from '../../config/index.js';
import type { Tokenizer } from '../../tokenizer/index.js';

type StopTraining = ChatTemplateDataset['train_on_eos'];

/** Tokens that end a turn, and where they carry loss. */
export interface StopRule {
  readonly ids: ReadonlySet<number>;
  readonly train: StopTraining;
}

export interface StopTokens {
  readonly rules: readonly StopRule[];
  /** The tokens of all rules. */
  readonly ids: ReadonlySet<number>;
  /** As a user reads them: `<|im_end|>, </s>`. */
  readonly names: string;
  /** `eot_tokens` that the template never writes. */
  readonly unused: readonly string[];
}

/**
 * Rules for end-of-turn and end-of-sequence tokens.
 *
 * @throws UserError if an entry of `eot_tokens` is not a single token, or the two options contradict each other on the
 * end-of-sequence token.
 */
export function stopTokens(
  tokenizer: Tokenizer,
  template: string,
  eotTokens: readonly string[] | null,
  trainOnEos: StopTraining,
  trainOnEot: StopTraining,
): StopTokens {
  const eos = tokenizer.eos;
  if (eos && eotTokens?.includes(eos.text) && trainOnEot !== trainOnEos) {
    throw new UserError(
      `${eos.text} is the end-of-sequence token and also in eot_tokens, but train_on_eos is ${trainOnEos} and train_on_eot is ` +
        `${trainOnEot}. Give both the same value, or take ${eos.text} out of eot_tokens.`,
    );
  }
  const listed = eotTokens ?? (eos && trainOnEot === trainOnEos ? [eos.text] : []);
  const unused = listed.filter((text) => text !== eos?.text && !template.includes(text));
  const used = listed.filter((text) => !unused.includes(text));
  const eot = new Set(used.map((text) => singleToken(tokenizer, text)));
  const eosIds = new Set(eos ? [eos.id] : []);
  const names = new Set([...used, ...(eos ? [eos.text] : [])]);
  return {
    rules: [
      { ids: eot, train: trainOnEot },
      { ids: eosIds, train: trainOnEos },
    ],
    ids: new Set([...eot, ...eosIds]),
    names: [...names].join(', '),
    unused,
  };
}

function singleToken(tokenizer: Tokenizer, text: string): number {
  const ids = tokenizer.encode(text);
  if (ids.length !== 1) {
    throw new UserError(
      `eot_tokens: ${JSON.stringify(text)} is ${ids.length} tokens for this tokenizer, and the end of a turn has to be one. ` +
        'Name a token of the tokenizer.',
    );
  }
  return ids[0] as number;
}
