import type { Path } from './introspect.js';

/** Names that keys had in older configs, and their names now. */
const renamed: Readonly<Record<string, string>> = {
  dpo_beta: 'rl_beta',
  evaluation_strategy: 'eval_strategy',
  base_model_config: 'base_model',
  sequence_length: 'sequence_len',
  max_seq_length: 'sequence_len',
  per_device_train_batch_size: 'micro_batch_size',
  per_device_eval_batch_size: 'eval_batch_size',
  num_train_epochs: 'num_epochs',
  lr: 'learning_rate',
  lr_scheduler_type: 'lr_scheduler',
  peft_adapter: 'adapter',
  adam_eps: 'adam_epsilon',
  lora_rank: 'lora_r',
};

/** Keys of Axolotl that anneal does not have, by the reason. A name that ends in `*` stands for all that begin so. */
const absent: readonly (readonly [reason: string, names: string])[] = [
  [
    'the local engine computes in float32',
    'bf16 fp16 bfloat16 float16 fp8 tf32 torch_dtype fp32_norms fp8_enable_fsdp_float8_all_gather',
  ],
  [
    'weights are not quantised for training',
    'load_in_8bit load_in_4bit gptq bnb_config_kwargs qat quantization model_quantization_config* quantize_moe_experts use_onebitllms',
  ],
  [
    'the engine chooses its own attention kernels',
    'attn_implementation flash_attention flash_attn_* sdp_attention xformers_attention flex_attention flex_attn_* eager_attention sage_attention s2_attention sdpa_varlen large_head_attention scaling_softmax use_kernels experts_implementation lora_mlp_kernel lora_qkv_kernel lora_o_kernel lora_embedding_kernel liger_* cut_cross_entropy chunked_cross_entropy* tiled_mlp* torch_compile*',
  ],
  ['it was removed from Axolotl, too', 'unsloth_*'],
  [
    'metrics go to metrics.jsonl and TensorBoard in output_dir',
    'use_wandb wandb_* use_mlflow mlflow_* hf_mlflow_log_artifacts use_comet comet_* use_trackio trackio_* use_swanlab swanlab_* use_otel_metrics otel_metrics_* include_tkps include_tokens_per_second profiler_steps*',
  ],
  [
    'one process trains on one device',
    'deepspeed deepcompile fsdp fsdp_* ddp ddp_* dp_shard_size dp_replicate_size tensor_parallel_size context_parallel_size sequence_parallel_degree heads_k_stride ring_attn_func use_ray ray_* resources_per_worker device_map max_memory gpu_memory_limit accelerator_config low_cpu_mem_usage',
  ],
  ['nothing is uploaded', 'hub_model_id hub_strategy hub_revision hf_use_auth_token push_dataset_to_hub'],
  [
    'the model class follows from its config.json',
    'model_type type_of_model cls_model_config tokenizer_type tokenizer_use_fast tokenizer_legacy tokenizer_use_mistral_common tokenizer_save_jinja_files processor_type processor_kwargs trust_remote_code is_llama_derived_model is_mistral_derived_model is_qwen_derived_model is_falcon_derived_model',
  ],
  ['files are always safetensors', 'save_safetensors'],
  [
    'padding takes no part in the computation',
    'pad_to_sequence_len pad_to_multiple_of group_by_length batch_flattening',
  ],
  [
    'rows are prepared in memory at the start of each run',
    'dataset_prepared_path dataset_num_proc dataset_processes dataset_keep_in_memory skip_prepare_dataset num_dataset_shards_to_save dataset_shard_num dataset_shard_idx dataloader_num_workers dataloader_pin_memory dataloader_prefetch_factor remove_unused_columns',
  ],
  ['Python plug-ins cannot be loaded', 'plugins trainer_cls'],
  ['unknown keys are always errors', 'strict'],
  [
    'this is not supported yet',
    'revision_of_model model_revision overrides_of_model_config overrides_of_model_kwargs tokens added_tokens_overrides resize_token_embeddings_to_32x mean_resizing_embeddings shrink_embeddings reinit_weights fix_untrained_tokens unfrozen_parameters freeze_mm_modules rope_scaling pretraining_dataset streaming* shuffle_before_merging_datasets dataset_exact_deduplication dataloader_drop_last pretraining_sample_concatenation eval_sequence_len max_prompt_len sample_packing_* curriculum_sampling multipack_real_batches use_pose pose_* default_system_message neftune_noise_alpha gradient_checkpointing_kwargs activation_offloading selective_checkpointing layer_offloading auto_find_batch_size use_eaft eaft_* relora relora_* jagged_restart_* lisa_* loss_watchdog_* gc_collect_steps torch_empty_cache_steps optim_args optim_target_modules adam_beta3 adam_epsilon2 embedding_lr embedding_lr_scale lr_groups loraplus_* lr_scheduler_kwargs lr_quadratic_warmup cosine_constant_lr_ratio lr_div_factor save_only_model load_best_model_at_end metric_for_best_model greater_is_better early_stopping_patience do_bench_eval bench_dataset do_causal_lm_eval eval_causal_lm_metrics eval_table_size eval_max_new_tokens generate_samples num_generation_samples generation_* dynamic_checkpoint dpo_* precompute_ref_log_probs orpo_alpha simpo_gamma cpo_alpha kto_* reward_model process_reward_model center_rewards_coefficient num_labels vllm ebft lora_target_parameters lora_modules_to_save lora_fan_in_fan_out lora_rank_pattern lora_alpha_pattern lora_exclude_modules peft_layers_* peft_use_dora peft peft_init_lora_weights peft_layer_replication peft_trainable_token_indices peft_ensure_weight_tying peft_autocast_adapter_dtype lora_on_cpu merge_method gradio_* lm_eval_* kd_* spectrum_* grokfast_* diffusion nemo_gym_* image_size image_resize_algorithm role_boundaries',
  ],
];

/** The same for the entries of `datasets`. */
const absentInDatasets: Readonly<Record<string, string>> = {
  split: 'a local file has no splits; give each split its own file (`test_datasets` for evaluation)',
  ds_type: 'datasets are JSONL files; remove it',
  data_files: 'name the file in `path`',
  name: 'datasets are local files; remove it',
  revision: 'datasets are local files; remove it',
  trust_remote_code: 'datasets are local files; remove it',
  conversation: 'the template is chosen with `chat_template`; remove it',
  message_field_role: 'write `message_property_mappings: {role: <key>}`',
  message_field_content: 'write `message_property_mappings: {content: <key>}`',
  field_human: 'write `message_property_mappings`',
  field_model: 'write `message_property_mappings`',
  shards: 'not supported yet',
  shards_idx: 'not supported yet',
  preprocess_shards: 'not supported yet',
};

/** Values of older configs and what replaced them. */
const sharegpt =
  'sharegpt was replaced by chat_template; write `type: chat_template`, `field_messages: conversations` and `message_property_mappings: {role: from, content: value}`';

export interface Migration {
  readonly path: Path;
  readonly message: string;
  /** `ignored`: the value asks for nothing that anneal does differently. */
  readonly kind: 'error' | 'ignored';
  readonly about: 'key' | 'value';
}

function absentReason(name: string): string | null {
  for (const [reason, names] of absent) {
    for (const pattern of names.split(' ')) {
      if (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern) return reason;
    }
  }
  return null;
}

function migrateDataset(entry: unknown, path: Path): Migration[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const found: Migration[] = [];
  for (const [key, value] of Object.entries(entry)) {
    if (key === 'type' && typeof value === 'string' && value.startsWith('sharegpt')) {
      found.push({ path: [...path, key], message: sharegpt, kind: 'error', about: 'value' });
    }
    const hint = Object.hasOwn(absentInDatasets, key) ? absentInDatasets[key] : undefined;
    if (hint === undefined) continue;
    const ignored = value === null || value === false;
    const message = ignored ? 'asks for nothing' : `not a key of anneal: ${hint}`;
    found.push({ path: [...path, key], message, kind: ignored ? 'ignored' : 'error', about: 'key' });
  }
  return found;
}

/**
 * What a config says in terms that anneal does not have: renamed keys, keys of Axolotl without a counterpart, removed dataset types.
 * A key without counterpart that is null or false asks for nothing and is passed over.
 */
export function findMigrations(config: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): Migration[] {
  const found: Migration[] = [];
  for (const [key, value] of Object.entries(config)) {
    if (known.has(key)) continue;
    const name = Object.hasOwn(renamed, key) ? renamed[key] : undefined;
    const reason = name === undefined ? absentReason(key) : null;
    if (name === undefined && reason === null) continue;
    if (reason !== null && (value === null || value === false)) {
      found.push({ path: [key], message: value === null ? 'unset' : reason, kind: 'ignored', about: 'key' });
    } else {
      const message = name !== undefined ? `is called ${name} now` : `not a key of anneal: ${reason}; remove it`;
      found.push({ path: [key], message, kind: 'error', about: 'key' });
    }
  }
  for (const list of ['datasets', 'test_datasets']) {
    const entries = config[list];
    if (Array.isArray(entries)) found.push(...entries.flatMap((entry, index) => migrateDataset(entry, [list, index])));
  }
  return found;
}
