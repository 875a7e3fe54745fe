import { z } from 'zod';
import { languages } from '../language.js';
import { difficulties } from './types.js';

const text = z.string().trim().min(1, { error: 'expected a text that is not empty' });
const line = text.max(200, { error: 'expected at most 200 characters' });
const identifier = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'expected a name of letters, digits and _' });
const file = z
  .string()
  .regex(/^(?!.*(^|\/)\.\.(\/|$))[^/\\\0][^\\\0]*$/, { error: 'expected a path inside the folder of the environment' });
const share = z.number().min(0).max(1);
const parameters = z.record(z.string(), z.unknown());

const checkerNames = ['exact', 'structural', 'unordered', 'numeric'] as const;
const numeric = z.strictObject({ relative: z.number().min(0).default(0), absolute: z.number().min(0).default(0) });

/** The keys of `environment.yaml`. What depends on the kind or on other files is checked by the loader. */
export const keys = {
  name: line,
  id: line.optional(),
  kind: z.enum(['function', 'script', 'document', 'episode']).default('function'),
  languages: z.array(z.enum(languages)).optional(),
  difficulty: z.enum(difficulties).default('medium'),
  domain: line.default('coding'),
  family: line.default('general'),
  tags: z.array(line).max(20).default([]),
  licence: line.default('unspecified'),
  provenance: text.default('unspecified'),
  limits: z
    .strictObject({
      case_seconds: z.number().positive().max(3600).optional(),
      total_seconds: z.number().positive().max(3600).optional(),
      memory_mb: z.number().int().min(16).max(65_536).optional(),
      processes: z.number().int().min(1).max(4096).optional(),
      output_kb: z.number().int().min(1).max(65_536).optional(),
      disk_mb: z.number().int().min(1).max(65_536).optional(),
    })
    .default({}),
  pass_threshold: share.default(1),
  floor: share.default(0.2),
  function: z
    .strictObject({
      name: z.union([identifier, z.strictObject({ python: identifier, javascript: identifier })], {
        error: 'expected a name, or one for python and one for javascript',
      }),
      parameters: z.record(identifier, z.string()).default({}),
      returns: z.string(),
    })
    .optional(),
  script: z
    .strictObject({
      entry: z.strictObject({ bash: file.optional(), python: file.optional(), javascript: file.optional() }),
      files: file.optional(),
      service: file.optional(),
    })
    .optional(),
  episode: z
    .strictObject({
      max_steps: z.number().int().min(1).max(1000).default(10),
      step_seconds: z.number().positive().max(3600).default(10),
      files: file.optional(),
      actions: z
        .array(z.enum(['bash', 'python', 'tool']))
        .min(1)
        .default(['bash', 'python']),
      tools: z
        .array(
          z.strictObject({
            name: identifier,
            description: text,
            parameters: parameters.default({ type: 'object', properties: {} }),
            script: file,
          }),
        )
        .default([]),
      answer_file: file.optional(),
      step_reward: z.enum(['none', 'improvement']).default('none'),
    })
    .optional(),
  checker: z
    .union(
      [
        z.enum(checkerNames),
        z.strictObject({ unordered: z.number().int().min(1) }),
        z.strictObject({ numeric }),
        z.strictObject({ script: file, function: identifier.default('check') }),
      ],
      { error: `expected ${checkerNames.join(', ')}, or a script as {script: checker.js}` },
    )
    .default('structural'),
  rules: z
    .partialRecord(
      z.enum(['python', 'javascript', 'typescript']),
      z.strictObject({
        forbid: z
          .array(
            z.string().regex(/^(import [\w$@:./-]+|[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*)$/, {
              error: 'expected a name such as sorted, list.sort or "import os"',
            }),
          )
          .default([]),
        require: z.array(z.enum(['loop', 'comparison', 'recursion', 'function'])).default([]),
      }),
    )
    .default({}),
  weights: z.strictObject({ correctness: share.optional(), rules: share.optional() }).optional(),
  rule_break_cap: share.default(0.3),
  variants: z
    .record(
      z.string().regex(/^[A-Za-z][\w-]*$/, { error: 'expected a name of letters, digits, _ and -' }),
      z.strictObject({
        cases: file.optional(),
        generate: z.number().int().min(0).max(10_000).optional(),
        seed: z.number().int().min(0).optional(),
        parameters: parameters.default({}),
        task: file.optional(),
      }),
    )
    .default({}),
  bad_answers: z.record(file, share).default({}),
};

export const schema = z.strictObject(keys);
export type Parsed = z.output<typeof schema>;

/** One row of a cases file, or of what a generator returns. */
export const row = z.strictObject({
  id: z.union([line, z.number().int()], { error: 'expected a text or a whole number' }).optional(),
  input: z.unknown().optional(),
  expected: z.unknown().optional(),
  weight: z.number().positive().max(1000).default(1),
  group: line.optional(),
  variant: z.string().optional(),
});
