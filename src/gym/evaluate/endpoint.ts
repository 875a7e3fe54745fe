import { setTimeout as sleep } from 'node:timers/promises';
import { GymError } from '../gym-error.js';

export interface EndpointOptions {
  /** Such as `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** Of one request, answer included. Default 300. */
  readonly timeoutSeconds?: number | undefined;
  /** Attempts after the first, where the endpoint is busy, fails or cannot be reached. Default 5. */
  readonly retries?: number | undefined;
  /** Before the first of these attempts; each after that waits twice as long, up to 30 s. Default 1000. */
  readonly backoffMs?: number | undefined;
}

export interface Reply {
  readonly text: string;
  /** Cut off at the limit of tokens. */
  readonly truncated: boolean;
}

export interface Endpoint {
  readonly model: string;
  /**
   * Asks once.
   * @throws EndpointError when every attempt failed; GymError where no other request would fare better (wrong key, unknown model)
   */
  ask(prompt: string, seed: number | undefined, signal?: AbortSignal): Promise<Reply>;
}

/** The endpoint gave no answer to one request. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError';
  readonly expected = true;
}

/** A model behind an OpenAI-compatible endpoint. */
export function openEndpoint(options: EndpointOptions): Endpoint {
  const { model, apiKey, temperature, maxTokens, timeoutSeconds = 300, retries = 5, backoffMs = 1000 } = options;
  const url = completionsUrl(options.baseUrl);
  const headers = { 'Content-Type': 'application/json', ...(apiKey && { Authorization: `Bearer ${apiKey}` }) };

  return {
    model,
    async ask(prompt, seed, signal) {
      const body = JSON.stringify({
        model,
        messages: [{ role: 'user', content: prompt }],
        temperature,
        ...(maxTokens !== undefined && { max_tokens: maxTokens }),
        seed,
      });
      let wait = 0;
      for (let attempt = 0; ; attempt++) {
        await sleep(wait, undefined, signal && { signal });
        let problem: string;
        wait = Math.min(backoffMs * 2 ** attempt, 30_000);
        try {
          const limit = AbortSignal.timeout(timeoutSeconds * 1000);
          const response = await fetch(url, {
            method: 'POST',
            headers,
            body,
            signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
          });
          const text = await response.text();
          if (response.ok) return replyOf(text);
          problem = `${url} answered ${response.status}: ${text.slice(0, 300).trim()}`;
          if (!mayPass(response.status)) throw new GymError(problem);
          wait = Math.max(wait, retryAfter(response.headers.get('Retry-After')));
        } catch (error) {
          signal?.throwIfAborted();
          if (error instanceof GymError) throw error;
          problem = error instanceof EndpointError ? error.message : `${url}: ${reasonOf(error, timeoutSeconds)}`;
        }
        if (attempt === retries) throw new EndpointError(`${problem} (after ${attempt + 1} attempts)`);
      }
    },
  };
}

function completionsUrl(baseUrl: string): string {
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new GymError(`${baseUrl} is no URL of an endpoint; wanted is one such as http://127.0.0.1:8000/v1`);
  }
  const base = baseUrl.replace(/\/+$/, '');
  return base.endsWith('/chat/completions') ? base : `${base}/chat/completions`;
}

function mayPass(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Milliseconds, at most a minute. */
function retryAfter(header: string | null): number {
  const seconds = Number(header ?? 0);
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), 60) * 1000 : 0;
}

function replyOf(text: string): Reply {
  let choice: { message?: { content?: unknown }; finish_reason?: unknown } | undefined;
  try {
    choice = JSON.parse(text)?.choices?.[0];
  } catch {
    throw new EndpointError(`the endpoint answered with something that is no JSON: ${text.slice(0, 100)}`);
  }
  const content = choice?.message?.content;
  if (choice === undefined || (typeof content !== 'string' && content != null)) {
    throw new EndpointError(`the endpoint answered without choices[0].message.content: ${text.slice(0, 100)}`);
  }
  return { text: content ?? '', truncated: choice.finish_reason === 'length' };
}

function reasonOf(error: unknown, seconds: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${seconds} s`;
  return error.cause instanceof Error ? error.cause.message : error.message;
}
