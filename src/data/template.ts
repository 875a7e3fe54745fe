import { type DatasetConfig, UserError } from '../config/index.js';
import type { Tokenizer } from '../tokenizer/index.js';

/** The tokenizer with the chat template that a dataset names. */
export function datasetTokenizer(tokenizer: Tokenizer, dataset: DatasetConfig): Tokenizer {
  if (dataset.type !== 'chat_template' && dataset.type !== 'prompt') return tokenizer;
  if (dataset.chat_template === 'tokenizer_default') return tokenizer;
  if (dataset.chat_template === 'jinja' && dataset.chat_template_jinja !== null) {
    return tokenizer.withChatTemplate(dataset.chat_template_jinja);
  }
  throw new UserError(
    `chat_template: there is no template "${dataset.chat_template}" here. Use tokenizer_default, or jinja with the template in ` +
      'chat_template_jinja.',
  );
}
