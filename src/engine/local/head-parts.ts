import { headPartRows, type ModelConfig } from '../../models/index.js';
import type { RunInput } from './runtime.js';

export const embeddingName = 'model.embed_tokens.weight';

/** The parameter that is the output head. */
export const headName = ({ tieWordEmbeddings }: Pick<ModelConfig, 'tieWordEmbeddings'>): string =>
  tieWordEmbeddings ? embeddingName : 'lm_head.weight';

/** Names of the head's parts in a graph. A head of one part goes by its own name. */
export function headPartNames(name: string, vocabulary: number): string[] {
  const { length } = headPartRows(vocabulary);
  return length === 1 ? [name] : Array.from({ length }, (_, part) => `${name}:${part}`);
}

/** The parts of a head, or of its gradient, by their names: the same memory. */
export function headParts(name: string, { data, shape }: RunInput): [name: string, part: RunInput][] {
  const [vocabulary, size] = shape as readonly [number, number];
  const names = headPartNames(name, vocabulary);
  let start = 0;
  return headPartRows(vocabulary).map((rows, part) => {
    const end = start + rows * size;
    const input = { data: data.subarray(start, end), shape: [rows, size] };
    start = end;
    return [names[part]!, input];
  });
}
