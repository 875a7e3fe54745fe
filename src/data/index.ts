export type { DroppedRow, Example, RowOrigin } from './example.js';
