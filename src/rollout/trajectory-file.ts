import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically, writeFully } from '../files/index.js';
import type { Trajectory, TrajectorySpan } from './trajectory.js';

/** Version of the layout of a line in `rollouts/step-N.jsonl`; a change that breaks readers raises it. */
export const TRAJECTORY_SCHEMA = 1;

/**
 * Writes the trajectories of a step to `<outputDir>/rollouts/step-<step>.jsonl`, one JSON object a line, and gives the
 * path. A crash leaves the former file or the new one, never a part. Numbers that are not finite become null.
 */
export async function writeTrajectories(
  outputDir: string,
  step: number,
  trajectories: Iterable<Trajectory>,
): Promise<string> {
  const directory = join(outputDir, 'rollouts');
  await mkdir(directory, { recursive: true });
  const path = join(directory, `step-${step}.jsonl`);
  await writeAtomically(path, async (file) => {
    const encoder = new TextEncoder();
    for (const trajectory of trajectories) {
      await writeFully(file, encoder.encode(`${JSON.stringify(toJson(trajectory))}\n`));
    }
  });
  return path;
}

/** Reads what `writeTrajectories` wrote. Throws with file and line on a broken line or an unknown schema version. */
export async function readTrajectories(path: string): Promise<Trajectory[]> {
  const lines = (await readFile(path, 'utf8')).split('\n');
  const trajectories: Trajectory[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const where = `${path}:${index + 1}`;
    let parsed: TrajectoryJson;
    try {
      parsed = JSON.parse(line) as TrajectoryJson;
    } catch (error) {
      throw new Error(`${where}: not a JSON object: ${(error as Error).message}`);
    }
    if (parsed.schema !== TRAJECTORY_SCHEMA) {
      throw new Error(
        `${where}: trajectory schema ${JSON.stringify(parsed.schema)}; this version reads ${TRAJECTORY_SCHEMA}.`,
      );
    }
    trajectories.push(fromJson(parsed));
  }
  return trajectories;
}

type Numbers = readonly (number | null)[];
interface SpanJson extends Omit<TrajectorySpan, 'tokens' | 'logprobs' | 'samplingLogprobs'> {
  readonly tokens: readonly number[];
  readonly logprobs?: Numbers;
  readonly samplingLogprobs?: Numbers;
}
interface TrajectoryJson extends Omit<Trajectory, 'spans'> {
  readonly schema: number;
  readonly spans: readonly SpanJson[];
}

function toJson(trajectory: Trajectory): TrajectoryJson {
  const spans = trajectory.spans.map(
    (span): SpanJson => ({
      kind: span.kind,
      ...(span.policyVersion !== undefined && { policyVersion: span.policyVersion }),
      tokens: Array.from(span.tokens),
      ...(span.logprobs && { logprobs: shortFloats(span.logprobs) }),
      ...(span.samplingLogprobs && { samplingLogprobs: shortFloats(span.samplingLogprobs) }),
    }),
  );
  return { schema: TRAJECTORY_SCHEMA, ...trajectory, spans };
}

function fromJson({ schema: _, ...json }: TrajectoryJson): Trajectory {
  const spans = json.spans.map(
    ({ tokens, logprobs, samplingLogprobs, ...span }): TrajectorySpan => ({
      ...span,
      tokens: Int32Array.from(tokens),
      ...(logprobs && { logprobs: toFloats(logprobs) }),
      ...(samplingLogprobs && { samplingLogprobs: toFloats(samplingLogprobs) }),
    }),
  );
  return { ...json, spans };
}

/** Nine significant digits give every 32-bit float back exactly, at half the length of its double. */
function shortFloats(values: Float32Array): number[] {
  return Array.from(values, (value) => Number(value.toPrecision(9)));
}

function toFloats(values: Numbers): Float32Array {
  return Float32Array.from(values, (value) => value ?? Number.NaN);
}
