export interface SpecialToken {
  readonly id: number;
  readonly text: string;
}

export interface Encoding {
  readonly ids: readonly number[];
  /** `[start, end)` of each token in the text, in UTF-16 code units. A special token added around the text is empty: [0, 0) or [n, n). */
  readonly offsets: readonly (readonly [start: number, end: number])[];
}

export interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly [key: string]: unknown;
}

export interface RenderOptions {
  /** End with the header of the assistant's turn. Default false. */
  readonly addGenerationPrompt?: boolean;
  readonly tools?: readonly unknown[];
  /** Further variables of the template (`chat_template_kwargs`, such as enable_thinking). */
  readonly kwargs?: Readonly<Record<string, unknown>>;
}

/** Where a message's text lies in the rendered conversation, in UTF-16 code units. */
export interface RenderedSpan {
  readonly message: number;
  readonly field: string;
  readonly start: number;
  readonly end: number;
  /** Where in the field's text the span begins (default 0): above 0 where the template trimmed or cut the field. */
  readonly from?: number;
}

export interface RenderedChat {
  readonly text: string;
  /**
   * Spans of the `content` and thinking fields, in order of position. Each holds the field's text word for word, or
   * what the template left of it. A field that is left out or written differently has none; one written twice has two;
   * an empty one has an empty span.
   */
  readonly spans: readonly RenderedSpan[];
}

export interface ChatTemplate {
  readonly source: string;
  render(messages: readonly ChatMessage[], options?: RenderOptions): string;
  /** One render of the whole conversation, linear in its length, that also says where each message's text went. */
  renderWithSpans(messages: readonly ChatMessage[], options?: RenderOptions): RenderedChat;
}

export interface Tokenizer {
  /** Number of ids, added tokens included. */
  readonly vocabSize: number;
  readonly bos: SpecialToken | null;
  readonly eos: SpecialToken | null;
  /** The padding token; falls back to eos, as Axolotl does. */
  readonly pad: SpecialToken | null;
  readonly unk: SpecialToken | null;
  readonly chatTemplate: ChatTemplate | null;
  /** Ids of a text. `addSpecialTokens` (default false) adds what the tokenizer's post-processor adds, such as bos. */
  encode(text: string, options?: { readonly addSpecialTokens?: boolean }): number[];
  encodeWithOffsets(text: string, options?: { readonly addSpecialTokens?: boolean }): Encoding;
  decode(ids: readonly number[] | Int32Array, options?: { readonly skipSpecialTokens?: boolean }): string;
  /** The bytes an id stands for in decoded text; empty for special tokens. */
  tokenBytes(id: number): Uint8Array;
  /** id of a token's exact text, or null. */
  tokenId(text: string): number | null;
  /** The files to save beside the weights: tokenizer.json, tokenizer_config.json, chat_template.jinja, … */
  files(): ReadonlyMap<string, string>;
  /** The same tokenizer with another chat template. */
  withChatTemplate(source: string): Tokenizer;
}
