import { formatOrigin, type RowError } from './errors.js';
import type { DroppedRow, RowOrigin } from './example.js';
import type { Labelled } from './labelled.js';

/** Rows that were dropped for one reason. */
export interface DropGroup {
  readonly reason: string;
  readonly count: number;
  /** The first few of them, each with what that row held. */
  readonly first: readonly DroppedRow[];
}

export interface LongRow {
  readonly origin: RowOrigin;
  readonly tokens: number;
}

export interface DataReport {
  readonly rows: number;
  /** Rows that gave at least one example. */
  readonly used: number;
  readonly examples: number;
  readonly trainExamples: number;
  readonly evalExamples: number;
  readonly dropped: readonly DropGroup[];
  /** Dropped samples; a row of `completion` may be cut into several. */
  readonly droppedCount: number;
  /** Of all samples, between 0 and 1. */
  readonly droppedShare: number;
  readonly tokens: number;
  readonly trainedTokens: number;
  /** Tokens of samples that were dropped after tokenisation. */
  readonly droppedTokens: number;
  readonly trainedByRole: Readonly<Record<string, number>>;
  /** Of the examples used. */
  readonly longestExample: number;
  readonly sequenceLen: number;
  readonly truncated: number;
  /** The longest samples beyond `sequence_len`, longest first. */
  readonly longest: readonly LongRow[];
  readonly warnings: readonly string[];
}

export interface ReportBuilder {
  row(gaveExample: boolean): void;
  use(labelled: Labelled): void;
  tooLong(origin: RowOrigin, tokens: number, truncated: boolean): void;
  drop(origin: RowOrigin, error: RowError, tokens: number): void;
  finish(split: { readonly train: number; readonly eval: number }, warnings: readonly string[]): DataReport;
  droppedGroups(): readonly DropGroup[];
}

export interface DropLog {
  add(origin: RowOrigin, error: RowError): void;
  /** Most frequent first. */
  groups(): readonly DropGroup[];
}

const shownRows = 3;
const shownLongest = 5;

export function createDropLog(): DropLog {
  const groups = new Map<string, { count: number; first: DroppedRow[] }>();
  return {
    add(origin, error) {
      const group = groups.get(error.reason) ?? { count: 0, first: [] };
      groups.set(error.reason, group);
      group.count++;
      if (group.first.length < shownRows) group.first.push({ origin, reason: error.message });
    },
    groups: () =>
      [...groups].map(([reason, group]) => ({ reason, ...group })).sort((left, right) => right.count - left.count),
  };
}

export function createReportBuilder(sequenceLen: number): ReportBuilder {
  const drops = createDropLog();
  const byRole = new Map<string, number>();
  const longest: LongRow[] = [];
  const sums = {
    rows: 0,
    used: 0,
    examples: 0,
    tokens: 0,
    trainedTokens: 0,
    droppedTokens: 0,
    longestExample: 0,
    truncated: 0,
  };

  return {
    row(gaveExample) {
      sums.rows++;
      if (gaveExample) sums.used++;
    },
    use({ tokens, trained, parts }) {
      sums.examples++;
      sums.tokens += tokens.length;
      for (const one of trained) sums.trainedTokens += one;
      sums.longestExample = Math.max(sums.longestExample, tokens.length);
      for (const part of parts) {
        let count = 0;
        for (let at = part.start; at < part.end && at < trained.length; at++) count += trained[at] as number;
        if (count > 0) byRole.set(part.role, (byRole.get(part.role) ?? 0) + count);
      }
    },
    tooLong(origin, tokens, truncated) {
      if (truncated) sums.truncated++;
      longest.push({ origin, tokens });
      longest.sort((left, right) => right.tokens - left.tokens);
      longest.splice(shownLongest);
    },
    drop(origin, error, tokens) {
      sums.droppedTokens += tokens;
      drops.add(origin, error);
    },
    droppedGroups: drops.groups,
    finish(split, warnings) {
      const dropped = drops.groups();
      const droppedCount = dropped.reduce((sum, group) => sum + group.count, 0);
      return Object.freeze({
        ...sums,
        trainExamples: split.train,
        evalExamples: split.eval,
        dropped,
        droppedCount,
        droppedShare: droppedCount === 0 ? 0 : droppedCount / (droppedCount + sums.examples),
        trainedByRole: Object.fromEntries(byRole),
        sequenceLen,
        longest,
        warnings,
      });
    },
  };
}

const whole = (value: number) => value.toLocaleString('en-US');
const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

/** The report for a terminal, without colours. */
export function formatDataReport(report: DataReport): string {
  const { tokens, trainedTokens } = report;
  const lines = [
    `data: ${whole(report.rows)} rows, ${whole(report.examples)} examples (train ${whole(report.trainExamples)}, eval ${whole(report.evalExamples)})`,
    `  tokens: ${whole(tokens)}, trained ${whole(trainedTokens)} (${percent(tokens === 0 ? 0 : trainedTokens / tokens)}); ` +
      `longest example ${whole(report.longestExample)} of sequence_len ${whole(report.sequenceLen)}`,
  ];
  const roles = Object.entries(report.trainedByRole).map(([role, count]) => `${role} ${whole(count)}`);
  if (roles.length > 0) lines.push(`  trained tokens by role: ${roles.join(', ')}`);
  if (report.droppedCount > 0) {
    const lost = report.droppedTokens / Math.max(1, report.droppedTokens + tokens);
    lines.push(
      `  dropped: ${whole(report.droppedCount)} (${percent(report.droppedShare)} of the samples, ${percent(lost)} of the tokens)`,
      ...formatDropped(report.dropped),
    );
  }
  if (report.truncated > 0) lines.push(`  truncated to sequence_len: ${whole(report.truncated)}`);
  if (report.longest.length > 0) {
    const rows = report.longest.map((row) => `${formatOrigin(row.origin)} ${whole(row.tokens)}`);
    lines.push(`  longest beyond sequence_len, in tokens: ${rows.join(', ')}`);
  }
  for (const warning of report.warnings) lines.push(`  warning: ${warning}`);
  return lines.join('\n');
}

/** Indented lines: each reason with its count, below it the first rows. */
export function formatDropped(groups: readonly DropGroup[]): string[] {
  return groups.flatMap((group) => [
    `    ${whole(group.count)} × ${group.reason}`,
    ...group.first.map(
      (row) =>
        `        ${formatOrigin(row.origin)}${row.reason === group.reason ? '' : `  ${row.reason.slice(group.reason.length + 2)}`}`,
    ),
  ]);
}
