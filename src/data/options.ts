import type { RunConfig } from '../config/index.js';

/** The keys of the config that the data room reads. */
export type DataConfig = Pick<
  RunConfig,
  | 'datasets'
  | 'test_datasets'
  | 'val_set_size'
  | 'shuffle_merged_datasets'
  | 'train_on_inputs'
  | 'sequence_len'
  | 'min_sample_len'
  | 'excess_length_strategy'
  | 'chat_template_kwargs'
  | 'eot_tokens'
  | 'seed'
>;
