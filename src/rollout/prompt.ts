import type { ChatMessage, Tokenizer } from '../tokenizer/index.js';

/** What a dataset row asks: plain text, or the messages of a conversation up to the answer. */
export type Prompt = string | readonly ChatMessage[];

/** A prompt ready for sampling. */
export interface PreparedPrompt {
  /** Stays the same from run to run: seeds of the samples are derived from it. */
  readonly id: string;
  readonly prompt: Prompt;
  /** The prompt as the model reads it. */
  readonly text: string;
  readonly tokens: Int32Array;
  /** The remaining columns of the row, handed to the rewards. */
  readonly columns: Readonly<Record<string, unknown>>;
}

export interface PromptRow {
  readonly id: string;
  readonly prompt: Prompt;
  readonly columns: Readonly<Record<string, unknown>>;
}

/**
 * Renders and tokenises a row's prompt. Messages go through the chat template and end with the header of the assistant's
 * turn; plain text gets what the tokenizer adds around a text (bos).
 * Throws where a conversation meets a tokenizer without chat template.
 */
export function preparePrompt(
  tokenizer: Tokenizer,
  row: PromptRow,
  templateKwargs?: Readonly<Record<string, unknown>>,
): PreparedPrompt {
  const { prompt } = row;
  if (typeof prompt === 'string') {
    const tokens = tokenizer.encode(prompt, { addSpecialTokens: true });
    return { ...row, text: prompt, tokens: Int32Array.from(tokens) };
  }
  if (tokenizer.chatTemplate === null) {
    throw new Error(
      `Prompt ${row.id} is a conversation, but the tokenizer has no chat template. Set chat_template, or give the prompt as plain text.`,
    );
  }
  const text = tokenizer.chatTemplate.render(prompt, {
    addGenerationPrompt: true,
    ...(templateKwargs && { kwargs: templateKwargs }),
  });
  return { ...row, text, tokens: Int32Array.from(tokenizer.encode(text)) };
}
