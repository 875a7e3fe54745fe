export { type Colour, type Console, type ConsoleOptions, createConsole, type TextStream } from './console.js';
export { formatBytes, formatCount, formatDuration, formatMetrics, formatNumber, formatPairs } from './format.js';
export {
  METRICS_SCHEMA,
  type Metrics,
  type MetricsOptions,
  type MetricsRecord,
  type MetricValue,
  openMetrics,
  readMetrics,
} from './metrics.js';
export { type ModelCard, renderModelCard, writeModelCard } from './model-card.js';
export type { Progress, ProgressOptions } from './progress.js';
export {
  type DecisionLine,
  formatPlan,
  formatSummary,
  type MetricChange,
  metricChanges,
  type RunPlan,
  type RunSummary,
} from './report.js';
export { type EventWriter, openEventWriter } from './tensorboard.js';
