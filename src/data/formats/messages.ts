import type { ChatTemplateDataset } from '../../config/index.js';
import type { ChatMessage } from '../../tokenizer/index.js';
import { RowError, snippet } from '../errors.js';
import { decodedJson, isRecord } from '../fields.js';
import type { Row } from '../jsonl.js';
import type { Notes } from '../notes.js';
import { type CharRange, joinedParts, rangesOfDetail } from './training-detail.js';

export interface Turn {
  /** As the template gets it. */
  readonly message: ChatMessage;
  /** The flag of `message_field_training`, null when the message has none. */
  readonly trainFlag: boolean | null;
  /** Characters of a field that are trained, by the template's name of the field; null = the turn has no such detail. */
  readonly detail: Readonly<Record<string, readonly CharRange[]>> | null;
}

export interface Conversation {
  readonly turns: readonly Turn[];
  readonly tools: readonly unknown[] | null;
}

/** Reads the conversation of a row: names mapped, JSON texts decoded, parts joined, thinking moved to its key. */
export function readConversation(row: Row, dataset: ChatTemplateDataset, notes: Notes): Conversation {
  const column = dataset.field_messages;
  const listed = decodedJson(row[column], `column \`${column}\``);
  if (listed === undefined || listed === null) {
    throw new RowError(`column \`${column}\` is missing`, `the row has ${Object.keys(row).join(', ') || 'no columns'}`);
  }
  if (!Array.isArray(listed)) throw new RowError(`column \`${column}\` is not a list of messages`, snippet(listed));
  const names = sourceNames(dataset);
  const roles = targetRoles(dataset.roles);
  let turns = listed.map((item: unknown, index) => readTurn(item, index, dataset, names, roles, notes));
  if (dataset.drop_system_message) {
    if (turns[0]?.message.role === 'system') turns = turns.slice(1);
  } else if (turns[0]?.message.role !== 'system') {
    const system = systemTurn(row[dataset.field_system], dataset.field_system);
    if (system) turns = [system, ...turns];
  }
  if (turns.length === 0) throw new RowError(`column \`${column}\` has no turns`);
  return { turns, tools: readTools(row[dataset.field_tools], dataset.field_tools) };
}

/** Role that the template knows, by the name it goes by in the rows. */
export function targetRoles(roles: ChatTemplateDataset['roles']): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(roles).flatMap(([target, sources]) => sources.map((source) => [source, target] as const)),
  );
}

function sourceNames(dataset: ChatTemplateDataset): ReadonlyMap<string, string> {
  return new Map(Object.entries({ role: 'role', content: 'content', ...dataset.message_property_mappings }));
}

function systemTurn(value: unknown, column: string): Turn | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw new RowError(`column \`${column}\` is not a text`, snippet(value));
  return { message: { role: 'system', content: value }, trainFlag: null, detail: null };
}

function readTurn(
  item: unknown,
  index: number,
  dataset: ChatTemplateDataset,
  names: ReadonlyMap<string, string>,
  roles: ReadonlyMap<string, string>,
  notes: Notes,
): Turn {
  if (!isRecord(item)) throw new RowError('a message is not an object', `message ${index}: ${snippet(item)}`);
  const sourceRole = item[names.get('role') as string];
  if (typeof sourceRole !== 'string' || sourceRole === '') {
    throw new RowError(`a message has no role under \`${names.get('role')}\``, `message ${index}: ${snippet(item)}`);
  }
  const role = roles.get(sourceRole) ?? sourceRole;
  if (!roles.has(sourceRole) && !Object.hasOwn(dataset.roles, role)) {
    notes.add(`Role "${role}" is not listed in \`roles\`; it reaches the template under that name`);
  }

  const message: Record<string, unknown> = {};
  const consumed = new Set([
    ...names.values(),
    dataset.field_thinking,
    dataset.message_field_training,
    dataset.message_field_training_detail,
  ]);
  for (const [key, value] of Object.entries(item)) if (!consumed.has(key)) message[key] = value;
  for (const [target, source] of names) if (item[source] !== undefined) message[target] = item[source];
  message.role = role;

  const content = joinedParts(message.content, `message ${index}, content`);
  const thinking = joinedParts(item[dataset.field_thinking], `message ${index}, ${dataset.field_thinking}`);
  const given =
    dataset.message_field_training_detail === null ? undefined : item[dataset.message_field_training_detail];
  const ranges =
    given === undefined || given === null ? content.ranges : rangesOfDetail(given, content.text ?? '', index);
  const thinkingKey = dataset.template_thinking_key;
  message.content = content.text;
  if (thinking.text !== null) message[thinkingKey] = thinking.text;
  if (dataset.split_thinking && role === 'assistant' && content.text !== null) {
    const split = splitThinking(content.text);
    if (split) {
      if (ranges)
        throw new RowError('`split_thinking` cannot be used on a message with training detail', `message ${index}`);
      message.content = split.content;
      message[thinkingKey] = split.thinking;
    }
  }
  if (message.tool_calls !== undefined) message.tool_calls = decodeToolCalls(message.tool_calls, index);
  if (content.text === null && !hasToolCalls(message) && thinking.text === null) {
    throw new RowError(
      `a message has no content under \`${names.get('content')}\``,
      `message ${index}: ${snippet(item)}`,
    );
  }
  const detail =
    ranges || thinking.ranges
      ? { ...(ranges && { content: ranges }), ...(thinking.ranges && { [thinkingKey]: thinking.ranges }) }
      : null;
  return { message: message as unknown as ChatMessage, trainFlag: trainFlag(item, index, dataset), detail };
}

function trainFlag(item: Record<string, unknown>, index: number, dataset: ChatTemplateDataset): boolean | null {
  if (dataset.message_field_training === null) return null;
  const flag = item[dataset.message_field_training];
  if (flag === undefined || flag === null) return null;
  if (typeof flag !== 'boolean') {
    throw new RowError(
      `\`${dataset.message_field_training}\` is not true or false`,
      `message ${index}: ${snippet(flag)}`,
    );
  }
  return flag;
}

export function hasToolCalls(message: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
}

/** Templates print arguments with `tojson`, which would quote a JSON text a second time. */
function decodeToolCalls(value: unknown, index: number): unknown {
  if (value === null) return null;
  if (!Array.isArray(value)) throw new RowError('`tool_calls` is not a list', `message ${index}: ${snippet(value)}`);
  return value.map((call: unknown) => {
    if (!isRecord(call)) throw new RowError('a tool call is not an object', `message ${index}: ${snippet(call)}`);
    const decode = (holder: Record<string, unknown>) =>
      typeof holder.arguments === 'string'
        ? { ...holder, arguments: decodedJson(holder.arguments, `the arguments of a tool call (message ${index})`) }
        : holder;
    return isRecord(call.function) ? { ...call, function: decode(call.function) } : decode(call);
  });
}

function readTools(value: unknown, column: string): readonly unknown[] | null {
  const tools = decodedJson(value, `column \`${column}\``);
  if (tools === undefined || tools === null) return null;
  if (!Array.isArray(tools)) throw new RowError(`column \`${column}\` is not a list of tools`, snippet(tools));
  return tools.map((tool: unknown) => {
    if (!isRecord(tool)) throw new RowError('a tool is not an object', snippet(tool));
    const decode = (holder: Record<string, unknown>) =>
      typeof holder.parameters === 'string'
        ? { ...holder, parameters: decodedJson(holder.parameters, 'the parameters of a tool') }
        : holder;
    return isRecord(tool.function) ? { ...tool, function: decode(tool.function) } : decode(tool);
  });
}

const thinkingTags = [
  ['<think>', '</think>'],
  ['<reasoning>', '</reasoning>'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
] as const;
const solutionTags = ['<|begin_of_solution|>', '<|end_of_solution|>'] as const;

/** Thinking and answer of a content that holds both, or null. */
export function splitThinking(content: string): { thinking: string; content: string } | null {
  for (const tags of thinkingTags) {
    const found = between(content, tags);
    if (!found) continue;
    const answer = `${found.before}${found.after.trimStart()}`;
    const solution = between(answer, solutionTags);
    return { thinking: found.inside.trim(), content: solution ? solution.inside.trim() : answer };
  }
  return null;
}

function between(
  text: string,
  [open, close]: readonly [string, string],
): { before: string; inside: string; after: string } | null {
  const start = text.indexOf(open);
  const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
  if (end < 0) return null;
  return {
    before: text.slice(0, start),
    inside: text.slice(start + open.length, end),
    after: text.slice(end + close.length),
  };
}
