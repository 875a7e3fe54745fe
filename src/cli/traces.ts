import { UserError } from '../config/index.js';
import { type ExportReport, openTraceStore, type RowKind, rowKinds } from '../gym/trace/index.js';
import { numberOf, oneOf, readArguments } from './arguments.js';

const labelKinds = ['threshold', 'improvement', 'rollouts'] as const;

const options = {
  rows: { type: 'string' },
  output: { type: 'string' },
  labels: { type: 'string' },
  threshold: { type: 'string' },
  environment: { type: 'string' },
  variant: { type: 'string' },
  model: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** `anneal traces export FOLDER --rows KIND --output FILE`: training rows from stored runs and episodes. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('traces', args, options);
  const [command, folder, ...rest] = positionals;
  if (command !== 'export') {
    throw new UserError(`anneal traces has one command, export${command === undefined ? '' : `, and no ${command}`}.`);
  }
  if (folder === undefined || rest.length > 0) throw new UserError('anneal traces export takes one folder of traces.');
  const rows = oneOf('rows', values.rows, rowKinds);
  if (rows === undefined) throw new UserError(`anneal traces export needs --rows: ${rowKinds.join(', ')}.`);
  if (values.output === undefined)
    throw new UserError('anneal traces export needs --output FILE.jsonl or FILE.parquet.');
  const labels = oneOf('labels', values.labels, labelKinds);
  if (rows !== 'prm' && (labels !== undefined || values.threshold !== undefined)) {
    throw new UserError('--labels and --threshold are for --rows prm.');
  }
  if (labels === 'improvement' && values.threshold !== undefined) {
    throw new UserError('--labels improvement has no threshold.');
  }
  const threshold = numberOf('threshold', values.threshold);
  const report = await openTraceStore(folder).exportRows(rows, values.output, {
    labels,
    threshold,
    environment: values.environment,
    variant: values.variant,
    model: values.model,
  });
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : summary(rows, report));
  if (report.rows === 0 && !values.json) process.stderr.write('There are no rows.\n');
  return report.rows === 0 ? 1 : 0;
}

function summary(
  kind: RowKind,
  { rows, traces, file, leftOut, repeated, singleRollouts, problems }: ExportReport,
): string {
  const lines = [`${rows} ${kind} rows from ${traces} traces → ${file}`];
  for (const [reason, count] of Object.entries(leftOut)) lines.push(`  left out: ${count} (${reason})`);
  if (repeated > 0) lines.push(`  ${repeated} traces had the same steps as another`);
  if (singleRollouts > 0) lines.push(`  ${singleRollouts} labels rest on one trace alone`);
  for (const { file: at, line, message } of problems) lines.push(`  skipped: ${at}:${line}: ${message}`);
  return `${lines.join('\n')}\n`;
}
