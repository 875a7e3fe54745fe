// npm run bench [-- [name …] [--json] [--no-peer] [--rounds=N]]
// Runs the rows whose name starts with one of the given names, each beside its PyTorch peer where one is installed. With
// rounds the two take turns N times; values are medians, and the ratio is the median of the rounds' ratios.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './measure.js';

interface Row {
  readonly bench: string;
  readonly unit: string;
  readonly ours: readonly string[];
  readonly peer?: readonly string[];
  /** Names of the value, of the FLOP/s behind it, and of the peer's value, in the JSON of the two programs. */
  readonly value: string;
  readonly flops?: string;
  readonly peerValue?: string;
  /** Less is better. */
  readonly lower?: boolean;
}

const trainRow = (bench: string, mode: string, shape: string, steps: number): Row => ({
  bench,
  unit: 'tokens/s',
  ours: ['rows/train.ts', mode, shape, '512', String(steps)],
  peer: ['train.py', '--mode', mode, '--shape', shape, '--seq', '512', '--steps', String(steps)],
  value: 'tokensPerSecond',
  flops: 'flopsPerSecond',
  peerValue: 'tokensPerSecond',
});

const decodeRow = (batch: number): Row => ({
  bench: `decode.b${batch}.135m`,
  unit: 'tokens/s',
  ours: ['rows/decode.ts', String(batch), '64', '128', '3'],
  peer: ['decode.py', '--shape', '135m', '--batch', String(batch), '--rounds', '3'],
  value: 'decodeTokensPerSecond',
  flops: 'decodeFlopsPerSecond',
  peerValue: 'decodeTokensPerSecond',
});

const rows: readonly Row[] = [
  trainRow('train.full.135m', 'full', '135m', 5),
  trainRow('train.lora.135m', 'lora', '135m', 5),
  trainRow('train.full.4m', 'full', '4m', 20),
  {
    bench: 'prefill.135m',
    unit: 'tokens/s',
    ours: ['rows/decode.ts', '1', '512', '2', '5'],
    peer: ['decode.py', '--shape', '135m', '--batch', '1', '--prompt', '512', '--new', '1', '--rounds', '5'],
    value: 'prefillTokensPerSecond',
    flops: 'prefillFlopsPerSecond',
    peerValue: 'prefillTokensPerSecond',
  },
  decodeRow(32),
  decodeRow(64),
  {
    bench: 'memory.lora2048.135m',
    unit: 'bytes',
    ours: ['rows/train.ts', 'lora', '135m', '2048', '2', 'recompute'],
    peer: ['train.py', '--mode', 'lora', '--shape', '135m', '--seq', '2048', '--steps', '2', '--checkpointing'],
    value: 'peakBytes',
    flops: 'flopsPerSecond',
    peerValue: 'peakBytes',
    lower: true,
  },
  {
    bench: 'gym.coin_change',
    unit: 'answers/s',
    ours: ['rows/gym.ts', 'coin_change', '1500'],
    value: 'answersPerSecond',
  },
  {
    bench: 'gym.coin_change.latency',
    unit: 'ms',
    ours: ['rows/gym.ts', 'coin_change', '60'],
    value: 'medianMs',
    lower: true,
  },
  {
    bench: 'load.gym',
    unit: 'answers/s',
    ours: ['rows/gym-load.ts', '10000'],
    value: 'answersPerSecond',
  },
];

const here = dirname(fileURLToPath(import.meta.url));
const args = process.argv.slice(2);
const json = args.includes('--json');
const names = args.filter((argument) => !argument.startsWith('--'));
const strange = args.find((argument) => argument.startsWith('--') && !/^--(json|no-peer|rounds=.*)$/.test(argument));
if (strange !== undefined) {
  console.error(`bench: unknown option ${strange}; it takes --json, --no-peer and --rounds=N`);
  process.exit(1);
}
const rounds = Number(args.find((argument) => argument.startsWith('--rounds='))?.slice('--rounds='.length) ?? 1);
if (!(Number.isInteger(rounds) && rounds > 0)) {
  console.error('--rounds takes a whole number above 0');
  process.exit(1);
}
const python = process.env.ANNEAL_BENCH_PYTHON ?? 'python3';
const say = (line: string): void => {
  if (!json) console.log(line);
};

function runJson(command: string, argv: readonly string[]): Record<string, number> {
  const { status, stdout, stderr } = spawnSync(command, argv, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`${command} ${argv.join(' ')} failed:\n${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, number>;
}

const chosen = rows.filter((row) => names.length === 0 || names.some((name) => row.bench.startsWith(name)));
if (chosen.length === 0) {
  console.error(`No row starts with ${names.join(' or ')}. There are: ${rows.map((row) => row.bench).join(', ')}`);
  process.exit(1);
}
const hasPeer =
  !args.includes('--no-peer') &&
  chosen.some((row) => row.peer) &&
  spawnSync(python, ['-c', 'import torch'], { stdio: 'ignore' }).status === 0;
if (!hasPeer && chosen.some((row) => row.peer)) {
  say(`No peer: ${python} has no PyTorch (set ANNEAL_BENCH_PYTHON to one that has).`);
}
for (const row of chosen) {
  const measured = Array.from({ length: rounds }, () => measure(row));
  const middle = (of: (each: Measured) => number | undefined): number | undefined => {
    const values = measured.map(of).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : round(median(values));
  };
  const [value, share, peer, ratio] = [
    middle((each) => each.value),
    middle((each) => each.share),
    middle((each) => each.peer),
    middle((each) => each.ratio),
  ];
  if (json) {
    console.log(
      JSON.stringify({
        bench: row.bench,
        value,
        unit: row.unit,
        ...(share !== undefined && { matmulShare: share }),
        ...(ratio !== undefined && { peer, ratio }),
        ...(rounds > 1 && { rounds }),
      }),
    );
    continue;
  }
  const rate = (middle((each) => each.matmulFlops) ?? 0) / 1e9;
  say(
    `${row.bench.padEnd(22)} ${String(value).padStart(12)} ${row.unit}` +
      (share === undefined ? '' : `  ${(share * 100).toFixed(0)} % of matmul (${rate.toFixed(0)} GFLOP/s)`) +
      (ratio === undefined ? '' : `  peer ${peer}  ×${ratio}`),
  );
}

interface Measured {
  readonly value: number;
  readonly share: number | undefined;
  readonly matmulFlops: number | undefined;
  readonly peer: number | undefined;
  readonly ratio: number | undefined;
}

function measure(row: Row): Measured {
  const ours = runJson(process.execPath, ['--import', 'tsx', ...[join(here, row.ours[0]!), ...row.ours.slice(1)]]);
  const peer =
    hasPeer && row.peer
      ? runJson(python, [join(here, 'peers', row.peer[0]!), ...row.peer.slice(1)])[row.peerValue!]
      : undefined;
  const value = ours[row.value]!;
  return {
    value,
    share: row.flops ? ours[row.flops]! / ours.matmulFlopsPerSecond! : undefined,
    matmulFlops: ours.matmulFlopsPerSecond,
    peer,
    ratio: peer === undefined ? undefined : row.lower ? peer / value : value / peer,
  };
}

function round(x: number): number {
  return Number(x.toPrecision(4));
}
