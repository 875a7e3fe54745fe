import type { DatasetConfig } from '../config/index.js';
import { builtinChatTemplate, type Tokenizer } from '../tokenizer/index.js';

/** The tokenizer with the chat template that a dataset names: its own, a Jinja source, or a built-in one. */
export function datasetTokenizer(tokenizer: Tokenizer, dataset: DatasetConfig): Tokenizer {
  if (dataset.type !== 'chat_template' && dataset.type !== 'prompt') return tokenizer;
  if (dataset.chat_template === 'tokenizer_default') return tokenizer;
  const jinja = dataset.chat_template === 'jinja' ? dataset.chat_template_jinja : null;
  return tokenizer.withChatTemplate(jinja ?? builtinChatTemplate(dataset.chat_template));
}
