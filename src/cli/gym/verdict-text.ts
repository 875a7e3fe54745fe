import type { CaseResult, Environment, SandboxCapabilities, Verdict } from '../../gym/index.js';
import { shorten } from '../../text/index.js';
import { printable } from './printable.js';

const shownCases = 3;
const shownLength = 160;

/** A verdict for a person: the score, the first cases that did not pass, what the answer wrote. */
export function verdictText(environment: Environment, verdict: Verdict): string {
  if (verdict.kind === 'noVerdict') {
    const again = verdict.retries > 0 ? ` after ${verdict.retries + 1} attempts` : '';
    return `${environment.name}: no verdict (${verdict.cause})${again}\n${indent(verdict.message)}`;
  }
  const lines = [
    `${environment.name}: ${verdict.passed ? 'passed' : 'not passed'}, score ${shortScore(verdict.score)} · ${printable(verdict.details)} · ${Math.round(verdict.ms)} ms`,
  ];
  const parts = Object.entries(verdict.rewardComponents);
  if (parts.length > 0) lines.push(`  ${parts.map(([name, value]) => `${name} ${shortScore(value)}`).join(', ')}`);
  const failed = verdict.cases.filter((one) => !one.passed);
  for (const one of failed.slice(0, shownCases)) lines.push('', ...caseLines(one));
  if (failed.length > shownCases) lines.push('', `  … and ${failed.length - shownCases} more that did not pass`);
  for (const stream of ['stdout', 'stderr'] as const) {
    if (verdict[stream].trim() !== '' && !verdict.passed)
      lines.push('', `  ${stream}:`, indent(verdict[stream].trimEnd(), 4));
  }
  return lines.join('\n');
}

/** What stood between the answers and this machine: one line, and with `verbose` a line for each protection. */
export function isolationText({ name, isolated, inForce, missing }: SandboxCapabilities, verbose = false): string {
  if (!isolated) return `sandbox: ${name}, NOT ISOLATED: answers ran as ordinary processes of this user`;
  const shown = name === 'local' ? 'local (bubblewrap)' : name;
  if (verbose) {
    const lines = [...inForce.map((one) => `  in force  ${one}`), ...missing.map((one) => `  MISSING   ${one}`)];
    return [`sandbox: ${shown}`, ...lines].join('\n');
  }
  if (missing.length === 0) return `sandbox: ${shown}, fully isolated`;
  return `sandbox: ${shown}, isolated, but without ${missing.map((one) => one.split(': ')[0]).join(', ')} (--verbose says more)`;
}

/** Three digits; what is not quite 1 or not quite 0 does not look so. */
export function shortScore(score: number): string {
  const rounded = Math.round(score * 1000) / 1000;
  if (rounded === 1 && score < 1) return '0.999';
  return String(rounded === 0 && score > 0 ? 0.001 : rounded);
}

function caseLines({ id, input, expected, actual, error }: CaseResult): string[] {
  const line = (name: string, text: string) => (text === '' ? [] : [`    ${name.padEnd(8)}  ${short(text)}`]);
  return [
    `  ${id}: ${short(error ?? 'did not pass')}`,
    ...line('input', input),
    ...line('expected', expected),
    ...line('actual', actual),
  ];
}

const short = (text: string): string => shorten(printable(text).replaceAll('\n', '\\n'), shownLength);

const indent = (text: string, by = 2): string => printable(text).replace(/^/gm, ' '.repeat(by));
