import type { Engine, SampleRequest, SampleResult, SamplingParams } from '../../src/engine/types.js';
import type { ChatMessage, ChatTemplate, Tokenizer } from '../../src/tokenizer/index.js';

const SPECIAL = ['<s>', '</s>', '<|im_end|>'];
const FIRST_CHARACTER = SPECIAL.length;

const chatTemplate: ChatTemplate = {
  source: 'fake',
  render(messages, options) {
    const text = messages.map(turn).join('');
    return options?.addGenerationPrompt ? `${text}assistant:` : text;
  },
  renderWithSpans(messages) {
    let text = '';
    const spans = messages.map((message, index) => {
      text += turn(message);
      const end = text.length - '<|im_end|>\n'.length;
      return { message: index, field: 'content', start: end - (message.content ?? '').length, end };
    });
    return { text, spans };
  },
};

function turn({ role, content }: ChatMessage): string {
  return `${role}:${content}<|im_end|>\n`;
}

/** One token per character, after three special ones. */
export const characterTokenizer: Tokenizer = {
  vocabSize: FIRST_CHARACTER + 256,
  bos: { id: 0, text: '<s>' },
  eos: { id: 1, text: '</s>' },
  pad: null,
  unk: null,
  chatTemplate,
  encode(text, options) {
    const pieces = text.match(/<s>|<\/s>|<\|im_end\|>|./gs) ?? [];
    const ids = pieces.map((piece) => {
      const special = SPECIAL.indexOf(piece);
      return special >= 0 ? special : FIRST_CHARACTER + piece.charCodeAt(0);
    });
    return options?.addSpecialTokens ? [0, ...ids] : ids;
  },
  encodeWithOffsets() {
    throw new Error('not needed');
  },
  decode(ids, options) {
    return Array.from(ids, (id) => {
      if (id >= FIRST_CHARACTER) return String.fromCharCode(id - FIRST_CHARACTER);
      return options?.skipSpecialTokens ? '' : SPECIAL[id]!;
    }).join('');
  },
  tokenBytes: (id) => (id < FIRST_CHARACTER ? new Uint8Array() : Uint8Array.of(id - FIRST_CHARACTER)),
  tokenId: (text) => SPECIAL.indexOf(text),
  files: () => new Map(),
  withChatTemplate: () => characterTokenizer,
};

export const samplingParams: SamplingParams = {
  maxTokens: 8,
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  repetitionPenalty: 1,
  stopTokens: [1, 2],
  stopStrings: [],
};

/** An engine whose answers are given by a function of the prompt's text and the request. */
export function fakeEngine(
  answer: (
    prompt: string,
    request: SampleRequest,
    index: number,
  ) => { text: string; finishReason?: SampleResult['finishReason'] },
): Pick<Engine, 'sample'> & { readonly requests: SampleRequest[] } {
  const seen: SampleRequest[] = [];
  return {
    requests: seen,
    async sample(requests, options) {
      seen.push(...requests);
      let sampled = 0;
      return requests.map((request, index) => {
        const { text, finishReason = 'stop' } = answer(characterTokenizer.decode(request.prompt), request, index);
        const tokens = Int32Array.from(characterTokenizer.encode(text));
        const result: SampleResult = {
          tokens,
          logprobs: new Float32Array(tokens.length).fill(-0.1),
          samplingLogprobs: new Float32Array(tokens.length).fill(-0.3),
          finishReason,
          policyVersion: 7,
        };
        sampled += tokens.length;
        options?.onProgress?.(sampled);
        options?.onResult?.(index, result);
        return result;
      });
    },
  };
}
