import type { RewardFunction } from 'anneal';

interface Columns {
  readonly messages: readonly { readonly content: string }[][];
}

const lastNumber = (text: string): number | null => {
  const found = text.replaceAll(',', '').match(/-?\d+(?:\.\d+)?/g);
  return found ? Number(found.at(-1)) : null;
};

/** 1 where the last number of the answer is that of the solution in the dataset, else 0. */
export const correct: RewardFunction<Columns> = (_prompts, completions, { messages }) =>
  completions.map((completion, i) => {
    const solution = lastNumber(messages[i]!.at(-1)!.content);
    // No number to compare with: no verdict, which is not the same as wrong.
    return solution === null ? null : Number(lastNumber(completion) === solution);
  });
