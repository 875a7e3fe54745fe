/** Where a row came from, so that every message about it can name it. */
export interface RowOrigin {
  readonly file: string;
  /** Line of a text file, counted from 1. */
  readonly line: number;
  /** Index into the config's `datasets`. */
  readonly dataset: number;
}

/** One tokenised training example. `trained[t]` is 1 where token t carries loss. Token 0 is never trained. */
export interface Example {
  readonly tokens: Int32Array;
  readonly trained: Uint8Array;
  readonly origin: RowOrigin;
}

/** A row that gave no example, and why. Every one is counted and shown. */
export interface DroppedRow {
  readonly origin: RowOrigin;
  readonly reason: string;
}
