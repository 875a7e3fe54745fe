import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { UserError } from '../config/index.js';
import { builtinChatTemplate, newTokenizerFiles, trainBpe } from '../tokenizer/index.js';
import type { QuickstartPlan } from './plan.js';
import { demonstration, drawProblems, drawStyles, type WordProblem } from './problems.js';

/** Where a quickstart writes what. */
export interface QuickstartPaths {
  readonly sftConfig: string;
  readonly grpoConfig: string;
  readonly sftOutput: string;
  readonly grpoOutput: string;
  readonly modelConfig: string;
  readonly tokenizer: string;
}

export function quickstartPaths(folder: string): QuickstartPaths {
  return {
    sftConfig: join(folder, 'sft.yaml'),
    grpoConfig: join(folder, 'grpo.yaml'),
    sftOutput: join(folder, 'sft'),
    grpoOutput: join(folder, 'grpo'),
    modelConfig: join(folder, 'model.json'),
    tokenizer: join(folder, 'tokenizer'),
  };
}

/** The folder asked for, which must be empty, or the first of `quickstart-out`, `quickstart-out-2`, … that is free. */
export async function freeFolder(asked: string | null): Promise<string> {
  const isFree = async (folder: string) => ((await readdir(folder).catch(() => [])) as string[]).length === 0;
  if (asked !== null) {
    if (await isFree(asked)) return asked;
    throw new UserError(`${asked} is not empty; give --output another folder, or leave it out.`);
  }
  for (let number = 1; ; number++) {
    const folder = number === 1 ? 'quickstart-out' : `quickstart-out-${number}`;
    if (await isFree(folder)) return folder;
  }
}

const endOfTurn = '<|im_end|>';
const specialTokens = [endOfTurn, '<|im_start|>'];
const vocabSize = 384;
/** More threads would wait for each other: the model is small. */
const threads = Math.min(2, availableParallelism());

/**
 * Writes everything that the two trainings read: problems as JSONL, a tokenizer made for them, the reward and a YAML file
 * for each training. Rerun them with `anneal train`, from the same working directory.
 */
export async function writeQuickstartFiles(
  folder: string,
  plan: QuickstartPlan,
  seed: number,
): Promise<QuickstartPaths> {
  const paths = quickstartPaths(folder);
  const { train, heldOut } = drawProblems(seed, {
    train: plan.demonstrations + plan.prompts,
    heldOut: plan.heldOut,
  });
  const shown = train.slice(0, plan.demonstrations);
  const styles = drawStyles(seed, shown.length, plan.stepsShare);
  const answers = shown.map((problem, i) => demonstration(problem, styles[i]!));
  const texts = shown.flatMap(({ question }, i) => [`user\n${question}`, `assistant\n${answers[i]}`]);
  const files = new Map([
    ['data/demonstrations.jsonl', jsonl(shown.map(({ question }, i) => conversation(question, answers[i]!)))],
    ['data/prompts.jsonl', jsonl(train.slice(plan.demonstrations).map(promptRow))],
    ['data/held-out.jsonl', jsonl(heldOut.map(promptRow))],
    ['model.json', `${JSON.stringify(plan.model, null, 2)}\n`],
    ['rewards.ts', rewards],
    ['sft.yaml', sftYaml(folder, paths, plan, seed)],
    ['grpo.yaml', grpoYaml(folder, paths, plan, seed)],
  ]);
  const tokenizer = newTokenizerFiles({
    tokenizerJson: trainBpe({ texts, vocabSize, specialTokens }),
    eosToken: endOfTurn,
    chatTemplate: builtinChatTemplate('chatml'),
  });
  for (const [name, text] of tokenizer) files.set(`tokenizer/${name}`, text);
  for (const [name, text] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return paths;
}

const jsonl = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

const conversation = (question: string, answer: string) => ({
  messages: [
    { role: 'user', content: question },
    { role: 'assistant', content: answer },
  ],
});

const promptRow = ({ question, answer }: WordProblem) => ({ prompt: question, answer: String(answer) });

const rewards = `import type { RewardFunction } from 'anneal';

/** 1 where the last line is \`#### n\` with the right number, else 0. \`answer\` is a column of the dataset. */
export const correct: RewardFunction<{ answer: string[] }> = (_prompts, completions, { answer }) =>
  completions.map((completion, i) => (completion.trim().split('\\n').at(-1) === \`#### \${answer[i]}\` ? 1 : 0));
`;

function sftYaml(folder: string, paths: QuickstartPaths, plan: QuickstartPlan, seed: number): string {
  return yaml('Supervised fine-tuning of a random model on answered problems.', paths.sftConfig, {
    model_config: paths.modelConfig,
    tokenizer_config: paths.tokenizer,
    datasets: [{ path: join(folder, 'data/demonstrations.jsonl'), type: 'chat_template' }],
    sequence_len: 128,
    micro_batch_size: 16,
    gradient_accumulation_steps: 1,
    max_steps: plan.sftSteps,
    learning_rate: 2e-3,
    lr_scheduler: 'cosine',
    adam_beta2: 0.98,
    save_strategy: 'no',
    engine: { threads },
    seed,
    output_dir: paths.sftOutput,
  });
}

function grpoYaml(folder: string, paths: QuickstartPaths, plan: QuickstartPlan, seed: number): string {
  return yaml(
    'GRPO: sampled answers, judged by the reward, teach the model which of them to prefer.',
    paths.grpoConfig,
    {
      base_model: paths.sftOutput,
      datasets: [{ path: join(folder, 'data/prompts.jsonl'), type: 'prompt' }],
      test_datasets: [{ path: join(folder, 'data/held-out.jsonl'), type: 'prompt' }],
      sequence_len: 128,
      rl: 'grpo',
      trl: {
        num_generations: 8,
        max_completion_length: 40,
        reward_funcs: [`${join(folder, 'rewards.ts')}#correct`],
      },
      micro_batch_size: 32,
      batch_size: plan.answers,
      max_steps: plan.grpoSteps,
      learning_rate: 2e-4,
      lr_scheduler: 'constant',
      adam_beta2: 0.98,
      eval_steps: Math.max(1, Math.floor(plan.grpoSteps / 2)),
      save_strategy: 'no',
      engine: { threads },
      seed,
      output_dir: paths.grpoOutput,
    },
  );
}

function yaml(title: string, path: string, config: Readonly<Record<string, unknown>>): string {
  return `# ${title} Once more, from the same folder:\n#   npx anneal train ${path} --output-dir NAME\n${stringify(config)}`;
}
