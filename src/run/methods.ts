import type { RunConfig } from '../config/index.js';
import { grpo } from './grpo-loop.js';
import type { Method } from './method.js';
import { sft } from './sft-loop.js';

/** The training method that a config asks for. */
export function methodOf(config: RunConfig): Method {
  switch (config.rl) {
    case null:
      return sft;
    case 'grpo':
      return grpo;
  }
}
