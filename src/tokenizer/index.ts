export { BUILTIN_TEMPLATE_NAMES, builtinChatTemplate } from './builtin-templates.js';
export { createChatTemplate } from './chat-template.js';
export { tokenizerFromGguf } from './gguf.js';
export { loadTokenizer } from './load.js';
export { createTokenizer, type TokenizerParts } from './tokenizer.js';
export { TokenizerError } from './tokenizer-json.js';
export { type NewTokenizerOptions, newTokenizerFiles, type TrainBpeOptions, trainBpe } from './train-bpe.js';
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
