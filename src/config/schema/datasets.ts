import { z } from 'zod';
import { flag, optional, text } from './primitives.js';

const path = text.describe(
  'A `.jsonl` file (one row a line), a `.json` file (a list of rows) or a folder of such files. Looked up in the working directory, then beside the YAML file.',
);

const template = {
  chat_template: optional(text).describe('Template of this dataset. Unset: the top-level `chat_template`.'),
  chat_template_jinja: optional(text).describe('Jinja template of this dataset, or the path of a file that holds one.'),
};

const stopTraining = z.enum(['all', 'turn', 'last', 'none']);

const chatTemplate = z
  .strictObject({
    type: z.literal('chat_template').describe('Conversations rendered with the chat template.'),
    path,
    ...template,
    field_messages: text.default('messages').describe('Column of the messages.'),
    field_system: text
      .default('system')
      .describe('Column of a system text; it becomes the first turn when the messages have no system turn.'),
    field_tools: text.default('tools').describe('Column of the tool definitions.'),
    message_property_mappings: z
      .record(z.string(), text)
      .default({ role: 'role', content: 'content' })
      .describe('Template property → key in the row, such as `{role: from, content: value}` for ShareGPT rows.'),
    roles: z
      .record(z.string(), z.array(text))
      .default({ user: ['human', 'user'], assistant: ['gpt', 'assistant'], system: ['system'], tool: ['tool'] })
      .describe('Role → names it goes by in the rows. Names that are not listed pass through unchanged.'),
    roles_to_train: z.array(text).default(['assistant']).describe('Roles whose turns carry loss.'),
    train_on_eos: stopTraining
      .default('turn')
      .describe(
        'End-of-sequence tokens that carry loss: after every turn, after trained turns, only the last, or none.',
      ),
    train_on_eot: optional(stopTraining).describe('The same for `eot_tokens`. Unset: as `train_on_eos`.'),
    message_field_training: optional(text).describe(
      'Key of a message with true or false that overrides `roles_to_train`.',
    ),
    message_field_training_detail: optional(text).describe(
      'Key of a message with a list of `{begin_offset, end_offset, train}`: inclusive character ranges of its content.',
    ),
    drop_system_message: flag(false).describe('Leave out a leading system turn.'),
    split_thinking: flag(false).describe('Move `<think>…</think>` out of assistant content into the thinking key.'),
    field_thinking: text.default('reasoning_content').describe('Key of a message that holds its thinking.'),
    template_thinking_key: text
      .default('reasoning_content')
      .describe('Key under which the template reads the thinking.'),
  })
  .describe('Conversations.');

const alpaca = z
  .strictObject({
    type: z.literal('alpaca').describe('Instruction, optional input and output in the Stanford Alpaca prompt.'),
    path,
    field_instruction: text.default('instruction').describe('Column of the instruction.'),
    field_input: text.default('input').describe('Column of the input; it may be missing or empty.'),
    field_output: text.default('output').describe('Column of the answer.'),
  })
  .describe('Instructions with answers.');

const completion = z
  .strictObject({
    type: z.literal('completion').describe('Plain text, cut to `sequence_len`; every token carries loss.'),
    path,
    field: text.default('text').describe('Column of the text.'),
  })
  .describe('Plain text.');

const inputOutput = z
  .strictObject({
    type: z
      .literal('input_output')
      .describe('Column `segments`: a list of `{label, text}`, joined as they are; `label: false` carries no loss.'),
    path,
  })
  .describe('Text segments with loss or without.');

const prompt = z
  .strictObject({
    type: z
      .literal('prompt')
      .describe('For `rl: grpo`: a prompt; all columns of the row go to the rewards. (Own to anneal.)'),
    path,
    field_prompt: text
      .default('prompt')
      .describe('Column of the prompt: a list of messages, or a text, which becomes one user turn.'),
    system_prompt: optional(text).describe('A system turn put before prompts that have none.'),
    apply_chat_template: flag(true).describe('Render with the chat template. `false` takes text prompts as they are.'),
    ...template,
  })
  .describe('Prompts for reinforcement learning.');

export const dataset = z.discriminatedUnion('type', [chatTemplate, alpaca, completion, inputOutput, prompt]);

export const dataKeys = {
  datasets: z
    .array(dataset)
    .default([])
    .describe('Training data. The rows of all entries are joined. Needed unless there are `environments`.'),
  test_datasets: optional(z.array(dataset).min(1)).describe('Evaluation data. Excludes `val_set_size`.'),
  val_set_size: z
    .number()
    .min(0)
    .refine((value) => value < 1 || Number.isInteger(value), {
      error: 'expected a share below 1 or a whole number of rows',
    })
    .default(0)
    .describe('Rows set aside for evaluation: below 1 a share of the training rows, from 1 on a number of rows.'),
  shuffle_merged_datasets: flag(true).describe(
    'Shuffle the joined rows (with `seed`). `false` keeps the order of the files.',
  ),
  train_on_inputs: flag(false).describe('Prompts and user turns carry loss too.'),
  sequence_len: z.number().int().min(2).default(512).describe('Longest sequence in tokens (prompt and completion).'),
  min_sample_len: z.number().int().min(1).default(2).describe('Shorter sequences are dropped, counted and reported.'),
  excess_length_strategy: z
    .enum(['drop', 'truncate', 'raise'])
    .default('drop')
    .describe('What happens to sequences longer than `sequence_len`. Dropped rows are counted and reported.'),
  sample_packing: flag(false).describe(
    'Fill each row of `sequence_len` tokens with several samples. They never attend to each other.',
  ),
  eval_sample_packing: optional(z.boolean()).describe('The same for evaluation. Unset: as `sample_packing`.'),
  seed: z.number().int().min(0).max(0xffffffff).default(42).describe('Seed of everything random in the run.'),
};
