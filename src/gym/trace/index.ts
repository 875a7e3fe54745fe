export type { ExportOptions, ExportReport } from './export.js';
export type { PrmLabels } from './process-labels.js';
export type { ReadTracesOptions, TraceFilter, TraceProblem } from './read-options.js';
export { type EpisodeSource, type RunSource, traceOfEpisode, traceOfRun } from './record.js';
export { type RowKind, rowKinds } from './row-columns.js';
export type { PrmRow, RlRow, SftRow } from './rows.js';
export { openTraceStore, type TraceStore } from './store.js';
export { type Trace, type TraceMessage, type TraceVersions, traceSchemaVersion } from './trace.js';
