import type { RenderedSpan } from '../../tokenizer/index.js';
import { RowError } from '../errors.js';
import type { Notes } from '../notes.js';
import { hasToolCalls, type Turn } from './messages.js';
import type { TokenIndex } from './token-index.js';
import type { CharRange } from './training-detail.js';

export interface RegionRequest {
  readonly turn: Turn;
  /** How messages name the turn: `message 3, assistant`. */
  readonly where: string;
  readonly train: boolean;
  /** An empty turn cannot be passed over: its role or its flag asks for training. */
  readonly required: boolean;
  /** Where the turn's text lies, without empty spans. */
  readonly spans: readonly RenderedSpan[];
  /** Nothing of the turn lies before `after` or from `before` on. */
  readonly after: number;
  readonly before: number;
}

export interface RegionContext {
  readonly text: string;
  readonly ids: readonly number[];
  readonly index: TokenIndex;
  readonly stopIds: ReadonlySet<number>;
  readonly stopNames: string;
  readonly thinkingKey: string;
  /** What the template writes before an assistant's answer; '' when that cannot be told. */
  readonly header: () => string;
  readonly notes: Notes;
}

/**
 * The characters that the author of a turn wrote: its text; with thinking, from the tag that opens it; with tool calls, or
 * with thinking and nothing else, to the token that ends the turn. Null for a turn without text that need not have any.
 *
 * @throws RowError when a trained turn is empty, left out by the template, or cannot be delimited.
 */
export function turnRegion(request: RegionRequest, context: RegionContext): CharRange | null {
  const { turn, where, train, spans } = request;
  const { message } = turn;
  const hasSpan = (isContent: boolean) => spans.some((span) => (span.field === 'content') === isContent);
  if (train && !hasSpan(true) && isText(message.content)) {
    throw new RowError('the chat template leaves out the text of a trained turn', where);
  }
  if (train && !hasSpan(false) && isText(message[context.thinkingKey])) {
    context.notes.add('The chat template leaves out the thinking of a trained turn, so only its answer is trained');
  }
  const calls = hasToolCalls(message);
  if (train && request.required && !calls && !isText(message.content) && !isText(message[context.thinkingKey])) {
    throw new RowError('a trained turn is empty', where);
  }
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined) {
    if (!calls) return null;
    const start = afterHeader(request, context);
    return [start, endOfTurn(request, context, start)];
  }
  const start = first.field === 'content' ? first.start : thinkingStart(first.start, request, context);
  const endsWithContent = !calls && last.field === 'content';
  return [start, endsWithContent ? last.end : endOfTurn(request, context, last.end)];
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

/** The opening tag belongs to what the model writes, unless the generation prompt already ends with it. */
function thinkingStart(start: number, request: RegionRequest, context: RegionContext): number {
  const header = context.header();
  const found = header === '' || start < header.length ? -1 : context.text.lastIndexOf(header, start - header.length);
  return found >= request.after ? found + header.length : start;
}

function afterHeader(request: RegionRequest, context: RegionContext): number {
  const header = context.header();
  const found = header === '' ? -1 : context.text.indexOf(header, request.after);
  if (found < 0 || found + header.length > request.before) {
    throw new RowError(
      'the tool calls of a turn cannot be found in the rendered conversation',
      `${request.where}: no assistant header`,
    );
  }
  return found + header.length;
}

function endOfTurn(request: RegionRequest, context: RegionContext, from: number): number {
  for (let [, at] = context.index.touching(0, from); at < context.ids.length; at++) {
    const start = (context.index.offsets[at] as readonly [number, number])[0];
    if (start >= request.before) break;
    if (start >= from && context.stopIds.has(context.ids[at] as number)) return start;
  }
  throw new RowError(
    'the end of a turn with tool calls or with thinking alone cannot be found',
    `${request.where}: none of ${context.stopNames || 'no stop tokens'} follows; list the token that ends a turn in eot_tokens`,
  );
}
