import { formatOrigin } from './errors.js';
import type { RowOrigin } from './example.js';

/** Things worth telling once about the whole data, with how often and where first they were seen. */
export interface Notes {
  /** Counts one occurrence of `message` at the row that is being read. */
  add(message: string): void;
}

export interface NoteLog {
  at(origin: RowOrigin): Notes;
  /** One line a message: the message, its count and its first row. */
  lines(): string[];
}

export function createNoteLog(): NoteLog {
  const seen = new Map<string, { count: number; first: RowOrigin }>();
  return {
    at: (origin) => ({
      add(message) {
        const entry = seen.get(message);
        if (entry) entry.count++;
        else seen.set(message, { count: 1, first: origin });
      },
    }),
    lines: () =>
      [...seen].map(
        ([message, { count, first }]) =>
          `${message} (${count.toLocaleString('en-US')}×, first at ${formatOrigin(first)})`,
      ),
  };
}
