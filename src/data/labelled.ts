/** Token positions `[start, end)` that belong to one role, for the count of trained tokens by role. */
export interface RolePart {
  readonly role: string;
  readonly start: number;
  readonly end: number;
}

/** What a row format makes of a row, before its length is checked. */
export interface Labelled {
  readonly tokens: readonly number[];
  /** 1 where a token carries loss; as long as `tokens`. */
  readonly trained: Uint8Array;
  readonly parts: readonly RolePart[];
}

/** Joins pieces of tokens that are trained or masked as a whole. */
export function joinPieces(
  pieces: readonly { readonly role: string; readonly ids: readonly number[]; readonly train: boolean }[],
): Labelled {
  const tokens = pieces.flatMap((piece) => piece.ids);
  const trained = new Uint8Array(tokens.length);
  const parts: RolePart[] = [];
  let start = 0;
  for (const { role, ids, train } of pieces) {
    const end = start + ids.length;
    if (train) trained.fill(1, start, end);
    parts.push({ role, start, end });
    start = end;
  }
  // Nothing predicts the first token.
  if (trained.length > 0) trained[0] = 0;
  return { tokens, trained, parts };
}
