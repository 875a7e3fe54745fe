import { type ChatTemplateDataset, UserError } from '../../config/index.js';
import type {
  ChatMessage,
  ChatTemplate,
  RenderedChat,
  RenderedSpan,
  RenderOptions,
  Tokenizer,
} from '../../tokenizer/index.js';
import { RowError } from '../errors.js';
import type { Row } from '../jsonl.js';
import type { Labelled, RolePart } from '../labelled.js';
import type { Notes } from '../notes.js';

import { type Conversation, readConversation, type Turn, targetRoles } from './messages.js';
import { type StopTokens, stopTokens } from './stop-tokens.js';
import { createTokenIndex } from './token-index.js';
import type { CharRange } from './training-detail.js';
import { type RegionContext, turnRegion } from './turn-region.js';

/** A stop token ends a turn if it stands at most this many tokens behind the turn's last one. */
const stopWindow = 3;

export interface ChatFormatOptions {
  readonly dataset: ChatTemplateDataset;
  readonly tokenizer: Tokenizer;
  readonly trainOnInputs: boolean;
  readonly eotTokens: readonly string[] | null;
  readonly templateKwargs: Readonly<Record<string, unknown>> | null;
}

/**
 * Rows of conversations → labelled tokens. The conversation is rendered once and tokenised once. A token is trained when it
 * holds text of a trained turn; where the template writes thinking or tool calls, so is all else that the model has to write
 * there. The stop token behind a turn follows `train_on_eos` and `train_on_eot`.
 */
export function createChatFormat(options: ChatFormatOptions): (row: Row, notes: Notes) => Labelled {
  const { dataset, tokenizer, templateKwargs } = options;
  const template = tokenizer.chatTemplate;
  if (template === null) {
    throw new UserError(
      'The tokenizer has no chat template, and `type: chat_template` needs one: set `chat_template` in the config.',
    );
  }
  const stops = stopTokens(tokenizer, template.source, options.eotTokens, dataset.train_on_eos, dataset.train_on_eot);
  const roles = targetRoles(dataset.roles);
  let header: string | undefined;
  const setup: Setup = {
    tokenizer,
    stops,
    thinkingKey: dataset.template_thinking_key,
    trainOnInputs: options.trainOnInputs,
    rolesToTrain: new Set(dataset.roles_to_train.map((role) => roles.get(role) ?? role)),
    header: () => {
      header ??= assistantHeader(template, templateKwargs);
      return header;
    },
  };
  return (row, notes) => {
    for (const token of stops.unused)
      notes.add(`eot_tokens: the chat template never writes ${token}, so it is left out`);
    const conversation = readConversation(row, dataset, notes);
    return labelTurns(conversation.turns, render(template, conversation, templateKwargs), setup, notes);
  };
}

interface Setup {
  readonly tokenizer: Tokenizer;
  readonly stops: StopTokens;
  readonly thinkingKey: string;
  readonly trainOnInputs: boolean;
  readonly rolesToTrain: ReadonlySet<string>;
  readonly header: () => string;
}

function render(
  template: ChatTemplate,
  conversation: Conversation,
  kwargs: ChatFormatOptions['templateKwargs'],
): RenderedChat {
  const options: RenderOptions = {
    ...(conversation.tools && { tools: conversation.tools }),
    ...(kwargs && { kwargs }),
  };
  try {
    return template.renderWithSpans(
      conversation.turns.map((turn) => turn.message),
      options,
    );
  } catch (error) {
    throw new RowError('the chat template refuses the conversation', (error as Error).message);
  }
}

/** What the template writes before an assistant's answer; '' when that cannot be told. */
function assistantHeader(template: ChatTemplate, kwargs: ChatFormatOptions['templateKwargs']): string {
  const messages: ChatMessage[] = [{ role: 'user', content: 'x' }];
  const without = template.render(messages, { ...(kwargs && { kwargs }) });
  const withHeader = template.render(messages, { ...(kwargs && { kwargs }), addGenerationPrompt: true });
  return withHeader.startsWith(without) ? withHeader.slice(without.length) : '';
}

function labelTurns(turns: readonly Turn[], rendered: RenderedChat, setup: Setup, notes: Notes): Labelled {
  const { ids, offsets } = setup.tokenizer.encodeWithOffsets(rendered.text);
  const index = createTokenIndex(offsets);
  const { rules } = setup.stops;
  const context: RegionContext = {
    text: rendered.text,
    ids,
    index,
    stopIds: setup.stops.ids,
    stopNames: setup.stops.names,
    thinkingKey: setup.thinkingKey,
    header: setup.header,
    notes,
  };
  const trained = new Uint8Array(ids.length);
  const parts: RolePart[] = [];
  const spans = spansByTurn(rendered.spans, turns.length);
  const lastStop = rules.map(() => -1);
  const everyTurnEnds = rules.some((rule) => rule.train === 'all');
  let after = 0;

  for (const [number, turn] of turns.entries()) {
    const own = spans[number] as readonly RenderedSpan[];
    const required = turn.trainFlag ?? (turn.detail !== null || setup.rolesToTrain.has(turn.message.role));
    const train = turn.trainFlag ?? (required || setup.trainOnInputs);
    if (!train && !everyTurnEnds) {
      const [first, end] = index.touching(own[0]?.start ?? after, own.at(-1)?.end ?? after);
      parts.push({ role: turn.message.role, start: first, end });
      after = Math.max(after, own.at(-1)?.end ?? 0);
      continue;
    }
    const where = `message ${number}, ${turn.message.role}`;
    const before = spans[number + 1]?.[0]?.start ?? rendered.text.length;
    const region = turnRegion({ turn, where, train, required, spans: own, after, before }, context);
    if (region === null) continue;
    after = Math.max(after, region[1]);
    const [first, end] = index.touching(...region);
    if (train && turn.detail === null) trained.fill(1, first, end);
    else if (train) trainDetail(turn, own, context, trained, setup);

    const [beforeNext] = index.touching(before, rendered.text.length);
    const stops = rules.map((rule) => findStop(ids, rule.ids, end, beforeNext));
    let stopTrained = false;
    for (const [which, stop] of stops.entries()) {
      if (stop < 0) continue;
      lastStop[which] = stop;
      const rule = rules[which] as (typeof rules)[number];
      if (rule.train !== 'all' && !(rule.train === 'turn' && train)) continue;
      trained[stop] = 1;
      stopTrained = true;
    }
    if (train && !stopTrained) noteMissingStop(setup, ids, end, notes);
    parts.push({ role: turn.message.role, start: first, end: Math.max(end, ...stops.map((stop) => stop + 1)) });
  }

  for (const [which, stop] of lastStop.entries()) if (rules[which]?.train === 'last' && stop >= 0) trained[stop] = 1;
  // Nothing predicts the first token.
  if (trained.length > 0) trained[0] = 0;
  return { tokens: ids, trained, parts };
}

/** Spans that hold text, by turn and in order of position. */
function spansByTurn(spans: readonly RenderedSpan[], turns: number): RenderedSpan[][] {
  const result: RenderedSpan[][] = Array.from({ length: turns }, () => []);
  for (const span of spans) if (span.end > span.start) result[span.message]?.push(span);
  return result;
}

function findStop(ids: readonly number[], stops: ReadonlySet<number>, from: number, limit: number): number {
  for (let at = from; at <= from + stopWindow && at < limit; at++) if (stops.has(ids[at] as number)) return at;
  return -1;
}

function noteMissingStop(setup: Setup, ids: readonly number[], end: number, notes: Notes): void {
  if (setup.stops.rules.every((rule) => rule.train === 'none' || rule.train === 'last')) return;
  const next = end < ids.length ? JSON.stringify(setup.tokenizer.decode([ids[end] as number])) : 'the end of the text';
  notes.add(
    `No stop token is trained behind a trained turn, so the model does not learn to stop there: the template goes on with ${next}, ` +
      `the stop tokens are ${setup.stops.names || 'none'}. If it ends the turn, list it in eot_tokens`,
  );
}

/** Trains the tokens that lie entirely inside a range of the turn's detail. Fields without ranges follow the turn's role. */
function trainDetail(
  turn: Turn,
  spans: readonly RenderedSpan[],
  { index, notes }: RegionContext,
  trained: Uint8Array,
  setup: Setup,
): void {
  const wholeFields = turn.trainFlag ?? (setup.trainOnInputs || setup.rolesToTrain.has(turn.message.role));
  for (const span of spans) {
    const [first, end] = index.touching(span.start, span.end);
    const ranges = turn.detail?.[span.field];
    if (ranges === undefined) {
      if (wholeFields) trained.fill(1, first, end);
      continue;
    }
    const shift = span.start - (span.from ?? 0);
    for (let token = first; token < end; token++) {
      const [tokenStart, tokenEnd] = index.offsets[token] as readonly [number, number];
      const part: CharRange = [Math.max(tokenStart, span.start) - shift, Math.min(tokenEnd, span.end) - shift];
      if (ranges.some((range) => range[0] <= part[0] && part[1] <= range[1])) trained[token] = 1;
      else if (ranges.some((range) => range[0] < part[1] && part[0] < range[1])) {
        notes.add('A training range ends inside a token; that token carries no loss');
      }
    }
  }
}
