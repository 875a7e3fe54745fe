import { type RunConfig, UserError } from '../config/index.js';
import type { Method } from './method.js';
import { sft } from './sft-loop.js';

/** The training method that a config asks for. */
export function methodOf(config: RunConfig): Method {
  switch (config.rl) {
    case null:
      return sft;
    case 'grpo':
      throw new UserError('rl: grpo cannot be trained yet; only supervised fine-tuning (no rl) can.');
  }
}
