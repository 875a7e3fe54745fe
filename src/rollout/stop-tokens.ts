import type { Tokenizer } from '../tokenizer/index.js';

const PROBE = 'The answer is 42.';

/**
 * The tokens that end an answer: eos, and the first special token that the chat template puts behind an assistant's
 * message (`<|im_end|>`, `<|eot_id|>`, …), so that sampling stops where the training data stops.
 */
export function stopTokens(tokenizer: Tokenizer): number[] {
  const stops = new Set<number>();
  if (tokenizer.eos) stops.add(tokenizer.eos.id);
  const endOfTurn = endOfTurnToken(tokenizer);
  if (endOfTurn !== null) stops.add(endOfTurn);
  return [...stops];
}

function endOfTurnToken(tokenizer: Tokenizer): number | null {
  if (tokenizer.chatTemplate === null) return null;
  const rendered = tokenizer.chatTemplate.renderWithSpans([
    { role: 'user', content: 'What is it?' },
    { role: 'assistant', content: PROBE },
  ]);
  const answer = rendered.spans.find((span) => span.message === 1 && span.field === 'content');
  if (!answer) return null;
  const tail = tokenizer.encode(rendered.text.slice(answer.end));
  return tail.find((id) => tokenizer.tokenBytes(id).length === 0) ?? null;
}
