export type {
  ChatMessage,
  ChatTemplate,
  Encoding,
  RenderedChat,
  RenderedSpan,
  RenderOptions,
  SpecialToken,
  Tokenizer,
} from './types.js';
