import { UserError } from '../config/index.js';
import { createLocalEngine } from '../engine/index.js';
import { type Prompt, preparePrompt } from '../rollout/index.js';
import { samplingEngineOptions, type TrainedModel } from '../run/index.js';
import { type SamplingSettings, samplingParams } from './sampling.js';

export interface Reply {
  readonly text: string;
  readonly tokens: number;
  readonly seconds: number;
  readonly finishReason: 'stop' | 'length' | 'aborted';
}

/** A loaded model that answers. */
export interface Replier {
  /** @param onText called with each new piece of the answer */
  reply(
    prompt: Prompt,
    settings: SamplingSettings,
    onText: (text: string) => void,
    signal?: AbortSignal,
  ): Promise<Reply>;
  close(): Promise<void>;
}

export async function openReplier(model: TrainedModel): Promise<Replier> {
  const { tokenizer, stopTokens } = model;
  const engine = await createLocalEngine(await samplingEngineOptions(model));
  return {
    async reply(prompt, settings, onText, signal) {
      const { tokens } = preparePrompt(tokenizer, { id: 'prompt', prompt, columns: {} });
      const positions = engine.config.maxPositionEmbeddings;
      if (tokens.length >= positions) {
        throw new UserError(
          `the conversation has ${tokens.length} tokens, and the model has ${positions} positions; start a new one`,
        );
      }
      const params = samplingParams(settings, stopTokens, positions - tokens.length);
      const answer: number[] = [];
      let shown = '';
      const show = (last: boolean): void => {
        const ended = stopTokens.includes(answer.at(-1) ?? -1);
        const text = tokenizer.decode(ended ? answer.slice(0, -1) : answer, { skipSpecialTokens: true });
        // A character whose bytes are not all there yet decodes to U+FFFD.
        if (!last && text.endsWith('\ufffd')) return;
        if (text.length > shown.length) onText(text.slice(shown.length));
        shown = text;
      };
      const started = performance.now();
      const [result] = await engine.sample([{ prompt: tokens, params, seed: settings.seed }], {
        ...(signal && { signal }),
        onToken: (_, token) => {
          answer.push(token);
          show(false);
        },
      });
      answer.splice(0, answer.length, ...result!.tokens);
      show(true);
      const seconds = (performance.now() - started) / 1000;
      return { text: shown, tokens: answer.length, seconds, finishReason: result!.finishReason };
    },
    close: () => engine.dispose(),
  };
}
