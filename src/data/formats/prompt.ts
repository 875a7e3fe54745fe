import { type ChatTemplateDataset, type PromptDataset, UserError } from '../../config/index.js';
import type { ChatMessage, ChatTemplate, Tokenizer } from '../../tokenizer/index.js';
import { RowError, snippet } from '../errors.js';
import { isRecord, requiredText } from '../fields.js';
import type { Row } from '../jsonl.js';
import type { Notes } from '../notes.js';
import { readConversation } from './messages.js';
import { encodeStart } from './text.js';

/** A prompt that a policy answers, with what rewards may want to know about it. */
export interface RowPrompt {
  readonly promptIds: Int32Array;
  readonly promptText: string;
  /** The conversation that was rendered; null when the text was taken as it is. */
  readonly messages: readonly ChatMessage[] | null;
  /** The other columns of the row. */
  readonly columns: Row;
}

export type PromptFormat = (row: Row, notes: Notes) => RowPrompt;

type TemplateKwargs = Readonly<Record<string, unknown>> | null;

/** `type: prompt`. `columns` holds every column except the prompt's. */
export function createPromptFormat(dataset: PromptDataset, tokenizer: Tokenizer, kwargs: TemplateKwargs): PromptFormat {
  const column = dataset.field_prompt;
  if (!dataset.apply_chat_template) {
    return (row) => {
      if (Array.isArray(row[column])) {
        throw new RowError(`column \`${column}\` is a list of messages, but apply_chat_template is false`);
      }
      const promptText = requiredText(row, column);
      const promptIds = Int32Array.from(encodeStart(tokenizer, promptText));
      return { promptIds, promptText, messages: null, columns: without(row, column) };
    };
  }
  const template = templateOf(tokenizer);
  return (row) => {
    const value = row[column];
    const given = Array.isArray(value)
      ? messageList(value, column)
      : [{ role: 'user', content: requiredText(row, column) }];
    const messages =
      dataset.system_prompt === null || given[0]?.role === 'system'
        ? given
        : [{ role: 'system', content: dataset.system_prompt }, ...given];
    if (messages.at(-1)?.role === 'assistant') {
      throw new RowError(`column \`${column}\` ends with an assistant turn, which leaves nothing to answer`);
    }
    return renderPrompt(messages, null, template, tokenizer, kwargs, without(row, column));
  };
}

/**
 * `type: chat_template`: the conversation up to its last turn that is not the assistant's. `columns` holds all columns, so that
 * a reward can compare with the answer in the row.
 */
export function createConversationPromptFormat(
  dataset: ChatTemplateDataset,
  tokenizer: Tokenizer,
  kwargs: TemplateKwargs,
): PromptFormat {
  const template = templateOf(tokenizer);
  return (row, notes) => {
    const { turns, tools } = readConversation(row, dataset, notes);
    const all = turns.map((turn) => turn.message);
    const end = all.findLastIndex((message) => message.role !== 'assistant') + 1;
    if (end === 0) throw new RowError(`column \`${dataset.field_messages}\` has only assistant turns`);
    return renderPrompt(all.slice(0, end), tools, template, tokenizer, kwargs, row);
  };
}

function templateOf(tokenizer: Tokenizer): ChatTemplate {
  if (tokenizer.chatTemplate) return tokenizer.chatTemplate;
  throw new UserError(
    'The tokenizer has no chat template. Set chat_template, or use `type: prompt` with apply_chat_template: false to take prompts ' +
      'as plain text.',
  );
}

function renderPrompt(
  messages: readonly ChatMessage[],
  tools: readonly unknown[] | null,
  template: ChatTemplate,
  tokenizer: Tokenizer,
  kwargs: TemplateKwargs,
  columns: Row,
): RowPrompt {
  let promptText: string;
  try {
    promptText = template.render(messages, {
      addGenerationPrompt: true,
      ...(tools && { tools }),
      ...(kwargs && { kwargs }),
    });
  } catch (error) {
    throw new RowError('the chat template refuses the conversation', (error as Error).message);
  }
  return { promptIds: Int32Array.from(tokenizer.encode(promptText)), promptText, messages, columns };
}

function without(row: Row, column: string): Row {
  const { [column]: _left, ...columns } = row;
  return columns;
}

function messageList(value: readonly unknown[], column: string): ChatMessage[] {
  if (value.length === 0) throw new RowError(`column \`${column}\` has no messages`);
  return value.map((item, index) => {
    if (!isRecord(item) || typeof item.role !== 'string' || typeof item.content !== 'string') {
      throw new RowError('a message is not {role, content}', `message ${index}: ${snippet(item)}`);
    }
    return item as unknown as ChatMessage;
  });
}
