import { Template } from '@huggingface/jinja';
import { TokenizerError } from './tokenizer-json.js';
import type { ChatMessage, ChatTemplate, RenderedSpan, RenderOptions } from './types.js';

export function createChatTemplate(source: string, variables: Readonly<Record<string, string>>): ChatTemplate {
  const template = new Template(source);
  const render = (messages: readonly ChatMessage[], options: RenderOptions = {}): string =>
    template.render({
      ...variables,
      raise_exception: (message: string) => {
        throw new TokenizerError(`chat template: ${message}`);
      },
      messages,
      add_generation_prompt: options.addGenerationPrompt ?? false,
      ...(options.tools ? { tools: options.tools } : {}),
      ...options.kwargs,
    });
  return Object.freeze({
    source,
    render,
    renderWithSpans(messages, options) {
      const text = render(messages, options);
      const spans: RenderedSpan[] = [];
      let from = 0;
      messages.forEach((message, index) => {
        const content = message.content?.trim() ?? '';
        const start = content === '' ? -1 : text.indexOf(content, from);
        if (start < 0) return;
        from = start + content.length;
        spans.push({ message: index, field: 'content', start, end: from });
      });
      return { text, spans };
    },
  } satisfies ChatTemplate);
}
