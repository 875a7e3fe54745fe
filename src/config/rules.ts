import type { Path } from './introspect.js';
import { trl } from './schema/grpo.js';
import type { ParsedConfig, ParsedDataset } from './schema/index.js';

/** What a rule sees: the parsed config, which keys were written down (dotted), and where to complain. */
export interface RuleContext {
  readonly config: ParsedConfig;
  given(key: string): boolean;
  report(path: Path, message: string): void;
}

/** A condition between keys. It is skipped when one of the keys it reads is invalid in itself. */
interface Rule {
  readonly reads: readonly (keyof ParsedConfig)[];
  check(context: RuleContext): void;
}

function exclusive(a: keyof ParsedConfig, b: keyof ParsedConfig): Rule {
  return {
    reads: [a, b],
    check: ({ config, report }) => {
      if (config[a] !== null && config[b] !== null) report([b], `excludes ${a}; keep one of them`);
    },
  };
}

function strategyRule(what: 'eval' | 'save'): Rule {
  const strategy = `${what}_strategy` as const;
  const steps = `${what}_steps` as const;
  const perEpoch = what === 'eval' ? 'evals_per_epoch' : 'saves_per_epoch';
  return {
    reads: [strategy, steps, perEpoch],
    check: ({ config, report }) => {
      const cadence = config[steps] !== null ? steps : config[perEpoch] !== null ? perEpoch : null;
      const chosen = config[strategy];
      if (chosen === 'steps' && cadence === null) report([strategy], `steps needs ${steps} or ${perEpoch}`);
      if (chosen !== null && chosen !== 'steps' && cadence !== null) {
        report([strategy], `is ${chosen}, which excludes ${cadence}; write steps or remove one of them`);
      }
    },
  };
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

const modelRules: Rule[] = [
  {
    reads: ['base_model', 'model_config'],
    check: ({ config, report }) => {
      if (config.base_model === null && config.model_config === null) {
        report(
          ['base_model'],
          'missing; name the model to train (a directory, a .gguf file or a hub id), or give model_config to start from random weights',
        );
      }
    },
  },
  exclusive('base_model', 'model_config'),
  {
    reads: ['base_model', 'model_config', 'tokenizer_config'],
    check: ({ config, report }) => {
      if (config.base_model === null && config.model_config !== null && config.tokenizer_config === null) {
        report(['tokenizer_config'], 'missing; with model_config there is no model to take the tokenizer from');
      }
    },
  },
  {
    reads: ['chat_template', 'chat_template_jinja', 'datasets', 'test_datasets'],
    check: ({ config, report }) => {
      const missing = 'jinja needs chat_template_jinja';
      if (config.chat_template === 'jinja' && config.chat_template_jinja === null) report(['chat_template'], missing);
      for (const [path, entry] of datasetEntries(config)) {
        if (!('chat_template' in entry) || entry.chat_template !== 'jinja') continue;
        if (entry.chat_template_jinja === null && config.chat_template_jinja === null)
          report([...path, 'chat_template'], missing);
      }
    },
  },
];

function datasetEntries(config: ParsedConfig): (readonly [Path, ParsedDataset])[] {
  return (['datasets', 'test_datasets'] as const).flatMap((list) =>
    (config[list] ?? []).map((entry, index) => [[list, index], entry] as const),
  );
}

const loraNames = [
  'lora_r',
  'lora_alpha',
  'lora_dropout',
  'lora_target_modules',
  'lora_target_linear',
  'peft_use_rslora',
  'lora_model_dir',
] as const;

const loraRules: Rule[] = [
  {
    reads: ['adapter'],
    check: ({ config, given, report }) => {
      if (config.adapter !== null) return;
      for (const key of loraNames) {
        if (given(key) && config[key] !== false && config[key] !== 0)
          report([key], 'has no effect without adapter: lora; add it or remove this key');
      }
    },
  },
  {
    reads: ['adapter', 'lora_r', 'lora_alpha', 'lora_model_dir', 'lora_target_modules', 'lora_target_linear'],
    check: ({ config, report }) => {
      if (config.adapter === null || config.lora_model_dir !== null) return;
      for (const key of ['lora_r', 'lora_alpha'] as const) {
        if (config[key] === null)
          report(
            [key],
            `missing; adapter: lora needs ${key === 'lora_r' ? 'a rank, such as 16' : 'a scale, such as 2 × lora_r'}`,
          );
      }
      if (config.lora_target_modules === null && !config.lora_target_linear) {
        report(
          ['lora_target_linear'],
          'missing; set it to true for every linear layer, or list some in lora_target_modules',
        );
      }
    },
  },
];

const dataRules: Rule[] = [
  {
    reads: ['datasets', 'test_datasets', 'val_set_size', 'environments'],
    check: ({ config, report }) => {
      if (config.environments === null) {
        if (config.datasets.length === 0) report(['datasets'], 'missing; expected a list of at least one dataset');
        return;
      }
      const others = [
        ['datasets', config.datasets.length > 0],
        ['test_datasets', config.test_datasets !== null],
        ['val_set_size', config.val_set_size > 0],
      ] as const;
      for (const [key, given] of others) {
        if (given) report([key], 'excludes environments, which bring their own prompts; keep one of them');
      }
    },
  },
  {
    reads: ['rl', 'datasets', 'test_datasets'],
    check: ({ config, report }) => {
      const allowed =
        config.rl === 'grpo' ? ['prompt', 'chat_template'] : ['chat_template', 'alpaca', 'completion', 'input_output'];
      for (const [path, entry] of datasetEntries(config)) {
        if (allowed.includes(entry.type)) continue;
        const use = config.rl === null ? 'supervised fine-tuning (no rl)' : `rl: ${config.rl}`;
        report([...path, 'type'], `${entry.type} does not serve ${use}; use one of ${allowed.join(', ')}`);
      }
    },
  },
  {
    reads: ['val_set_size', 'test_datasets'],
    check: ({ config, report }) => {
      if (config.val_set_size > 0 && config.test_datasets !== null) {
        report(['val_set_size'], 'excludes test_datasets; evaluation data comes from one of them');
      }
    },
  },
  {
    reads: ['val_set_size', 'test_datasets', 'environments', 'eval_strategy', 'eval_steps', 'evals_per_epoch'],
    check: ({ config, report }) => {
      if (config.val_set_size > 0 || config.test_datasets !== null || config.environments !== null) return;
      for (const key of ['eval_strategy', 'eval_steps', 'evals_per_epoch'] as const) {
        if (config[key] === null || config[key] === 'no') continue;
        report([key], 'there is nothing to evaluate on: set val_set_size above 0 or give test_datasets');
        return;
      }
    },
  },
  {
    reads: ['min_sample_len', 'sequence_len'],
    check: ({ config, report }) => {
      if (config.min_sample_len > config.sequence_len)
        report(['min_sample_len'], `is above sequence_len (${config.sequence_len}): no sequence would be left`);
    },
  },
];

const trainingRules: Rule[] = [
  {
    reads: ['micro_batch_size', 'gradient_accumulation_steps', 'batch_size'],
    check: ({ config, given, report }) => {
      const names = ['micro_batch_size', 'gradient_accumulation_steps', 'batch_size'] as const;
      const written = names.filter((name) => given(name));
      if (given('batch_size') && given('gradient_accumulation_steps')) {
        report(['batch_size'], 'excludes gradient_accumulation_steps, which follows from it; keep one of them');
      } else if (written.length < 2) {
        const missing = written[0] === 'micro_batch_size' ? 'gradient_accumulation_steps' : 'micro_batch_size';
        report(
          [missing],
          `missing; at least two of ${names.join(', ')} must be given, so that the batch is no accident`,
        );
      } else if (config.batch_size !== null && config.batch_size % config.micro_batch_size !== 0) {
        report(
          ['batch_size'],
          `${config.batch_size} is not a multiple of micro_batch_size (${config.micro_batch_size})`,
        );
      }
    },
  },
  exclusive('warmup_steps', 'warmup_ratio'),
  {
    reads: ['lr_scheduler', 'warmup_steps', 'warmup_ratio', 'cosine_min_lr_ratio'],
    check: ({ config, report }) => {
      if (config.lr_scheduler === 'constant') {
        for (const key of ['warmup_steps', 'warmup_ratio'] as const) {
          if ((config[key] ?? 0) > 0)
            report([key], 'has no effect with lr_scheduler: constant; write constant_with_warmup');
        }
      }
      if (config.lr_scheduler !== 'cosine' && config.cosine_min_lr_ratio !== null) {
        report(['cosine_min_lr_ratio'], `has no effect with lr_scheduler: ${config.lr_scheduler}`);
      }
    },
  },
  exclusive('eval_steps', 'evals_per_epoch'),
  exclusive('save_steps', 'saves_per_epoch'),
  strategyRule('eval'),
  strategyRule('save'),
];

const rlRules: Rule[] = [
  {
    reads: ['gym', 'environments'],
    check: ({ config, report }) => {
      if (config.environments === null && config.gym !== null) report(['gym'], 'has no effect without environments');
    },
  },
  {
    reads: ['rl', 'trl', 'rl_beta', 'environments'],
    check: ({ config, report }) => {
      if (config.rl === 'grpo' && config.environments === null && !config.trl?.reward_funcs.length) {
        const key = config.trl === null ? ['trl'] : ['trl', 'reward_funcs'];
        report(key, 'missing; rl: grpo needs at least one of trl.reward_funcs, or environments');
      }
      if (config.rl !== null) return;
      for (const key of ['trl', 'rl_beta', 'environments'] as const) {
        if (config[key] !== null) report([key], 'has no effect without rl: grpo; add it or remove this key');
      }
    },
  },
  {
    reads: ['rl', 'sample_packing', 'eval_sample_packing'],
    check: ({ config, report }) => {
      if (config.rl === null) return;
      for (const key of ['sample_packing', 'eval_sample_packing'] as const) {
        if (config[key]) report([key], `rl: ${config.rl} does not pack; remove it`);
      }
    },
  },
  {
    reads: ['trl', 'rl_beta'],
    check: ({ config, report }) => {
      const beta = config.trl?.beta ?? null;
      if (beta !== null && config.rl_beta !== null && beta !== config.rl_beta) {
        report(['rl_beta'], `is ${config.rl_beta} while trl.beta is ${beta}; they mean the same, keep one of them`);
      }
    },
  },
  {
    reads: ['trl'],
    check: ({ config, report }) => {
      const { trl } = config;
      if (trl === null) return;
      trl.reward_funcs.forEach((reward, index) => {
        const hint = rewardNameHint(typeof reward === 'string' ? reward : reward.name);
        if (hint !== null) report(['trl', 'reward_funcs', index], hint);
      });
      if (trl.reward_weights !== null && trl.reward_weights.length !== trl.reward_funcs.length) {
        report(
          ['trl', 'reward_weights'],
          `has ${trl.reward_weights.length} weights for ${trl.reward_funcs.length} reward_funcs`,
        );
      }
    },
  },
  {
    reads: ['trl', 'sequence_len'],
    check: ({ config, report }) => {
      const limit = config.trl?.max_completion_length ?? null;
      if (limit !== null && limit >= config.sequence_len) {
        report(
          ['trl', 'max_completion_length'],
          `${limit} leaves no room for a prompt in sequence_len (${config.sequence_len}), which bounds prompt and completion`,
        );
      }
    },
  },
  {
    reads: ['rl', 'trl', 'environments', 'micro_batch_size', 'gradient_accumulation_steps', 'batch_size'],
    check: ({ config, report }) => {
      const options = config.trl ?? (config.environments === null ? null : trl.parse({}));
      if (config.rl !== 'grpo' || options === null) return;
      const { num_generations: group, generation_batch_size: generation } = options;
      const micro = config.micro_batch_size;
      const batch = config.batch_size ?? micro * config.gradient_accumulation_steps;
      const accumulation = group / gcd(group, micro);
      const fix =
        config.batch_size === null
          ? `the smallest gradient_accumulation_steps that works with micro_batch_size ${micro} is ${accumulation}`
          : `the smallest batch_size that works with micro_batch_size ${micro} is ${micro * accumulation}`;
      const key = config.batch_size === null ? 'gradient_accumulation_steps' : 'batch_size';
      if (generation !== null) {
        if (generation % group !== 0) {
          report(
            ['trl', 'generation_batch_size'],
            `${generation} is not a multiple of num_generations (${group}): groups would be cut`,
          );
        } else if (generation % batch !== 0) {
          report(
            ['trl', 'generation_batch_size'],
            `${generation} is not a multiple of the ${batch} completions of an optimizer step`,
          );
        }
        if (batch < group)
          report([key], `an optimizer step takes ${batch} completions, fewer than num_generations (${group}); ${fix}`);
      } else if (batch % group !== 0) {
        report(
          [key],
          `an optimizer step takes ${batch} completions, which is not a multiple of num_generations (${group}); ${fix}`,
        );
      }
    },
  },
];

/** Why a name in `reward_funcs` can be no reward of anneal, or null. Names of built-in rewards are checked where rewards are loaded. */
function rewardNameHint(name: string): string | null {
  const [file, exported] = name.split('#');
  if (/\.[cm]?[jt]s$/.test(file!) && !exported)
    return `names no function; write ${file}#name, with the name of an exported function`;
  if (/\.py\b/.test(name) || /^[A-Za-z_]\w*(\.\w+)+$/.test(name)) {
    return `${JSON.stringify(name)} looks like Python; a reward is a TypeScript or JavaScript function: ./file.ts#name`;
  }
  return null;
}

/** Every condition between keys. */
export const rules: readonly Rule[] = [...modelRules, ...loraRules, ...dataRules, ...trainingRules, ...rlRules];
