import { UserError } from '../../config/index.js';
import { type AuditReport, audit, type Split, splits } from '../../gym/qa/index.js';
import { numberOf, oneOf, readArguments, wholeNumber } from '../arguments.js';
import { noSandboxExit, sandboxOption, withGym } from './judging.js';
import { chosenEnvironments } from './qa.js';
import { table } from './table.js';

/** `anneal gym audit`: leaks, duplicates, splits and hashes. Exit code 0 nothing leaks, 1 something does, 2 the sandbox could not be had. */
export async function run(args: string[]): Promise<number> {
  try {
    return await look(args);
  } catch (error) {
    return noSandboxExit(error, args.includes('--json'));
  }
}

async function look(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('gym audit', args, {
    all: { type: 'boolean' },
    seed: { type: 'string' },
    'public-eval-ratio': { type: 'string' },
    'holdout-ratio': { type: 'string' },
    'canary-ratio': { type: 'string' },
    split: { type: 'string', multiple: true },
    sandbox: { type: 'string' },
    json: { type: 'boolean' },
  });
  const environments = await chosenEnvironments('audit', positionals, values.all);
  const options = {
    seed: wholeNumber('seed', values.seed, { from: 0, to: 999_999_999 }) ?? 0,
    publicEvalRatio: numberOf('public-eval-ratio', values['public-eval-ratio'], { from: 0, to: 1 }) ?? 0.2,
    holdoutRatio: numberOf('holdout-ratio', values['holdout-ratio'], { from: 0, to: 1 }) ?? 0.1,
    canaryRatio: numberOf('canary-ratio', values['canary-ratio'], { from: 0, to: 1 }) ?? 0.05,
    overrides: Object.fromEntries((values.split ?? []).map(override)),
  };
  return withGym(sandboxOption(values.sandbox), undefined, async (gym, signal) => {
    const report = await audit(gym, environments, { ...options, signal });
    console.log(values.json ? JSON.stringify(report, null, 2) : describe(report));
    return report.leaks.length === 0 ? 0 : 1;
  });
}

function override(text: string): [string, Split] {
  const at = text.lastIndexOf('=');
  const [name, wanted] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1)
    throw new UserError(`--split ${text}: wanted is ENVIRONMENT=SPLIT, where SPLIT is one of ${splits.join(', ')}`);
  return [name, oneOf('split', wanted, splits)!];
}

function describe(report: AuditReport): string {
  const { environments, splitCounts, contaminationRisk, leaks, recommendations, manifest } = report;
  const lines = [
    table(
      ['environment', 'split', 'task', 'verifier', 'content', 'notes'],
      manifest.map((entry) => [
        entry.environment,
        entry.split,
        entry.taskHash.slice(0, 12),
        entry.verifierHash.slice(0, 12),
        entry.contentHash.slice(0, 12),
        entry.notes.join('; ') || '–',
      ]),
    ),
    '',
    `${environments} environments: ${splits.map((split) => `${splitCounts[split]} ${split}`).join(', ')}. Contamination risk: ${contaminationRisk}.`,
    ...leaks.map((leak) => `leak, ${leak.severity}: ${leak.message}`),
    ...recommendations.map((text) => `- ${text}`),
  ];
  return lines.join('\n');
}
