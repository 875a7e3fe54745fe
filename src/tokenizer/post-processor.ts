import { asRecord, type ComponentJson, TokenizerError, unsupported } from './tokenizer-json.js';

/** What a post-processor does to a single text: ids put around it, and spaces left out of offsets. */
export interface PostProcessor {
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** Offsets leave out the spaces at a token's ends; one space stays at the text's start where a prefix was added. */
  readonly trim: { readonly prefixSpace: boolean } | null;
}

export const NO_POST_PROCESSOR: PostProcessor = Object.freeze({ before: [], after: [], trim: null });

const TYPES = ['ByteLevel', 'TemplateProcessing', 'RobertaProcessing', 'BertProcessing', 'Sequence'];

export function createPostProcessor(config: ComponentJson): PostProcessor {
  const trim = config.trim_offsets === false ? null : { prefixSpace: config.add_prefix_space !== false };
  switch (config.type) {
    case 'ByteLevel':
      return { ...NO_POST_PROCESSOR, trim };
    case 'TemplateProcessing':
      return templateProcessing(config);
    case 'BertProcessing':
      return { before: [tokenId(config.cls)], after: [tokenId(config.sep)], trim: null };
    case 'RobertaProcessing':
      return { before: [tokenId(config.cls)], after: [tokenId(config.sep)], trim };
    case 'Sequence':
      return (config.processors as ComponentJson[]).map(createPostProcessor).reduce(
        (all, next) => ({
          before: [...next.before, ...all.before],
          after: [...all.after, ...next.after],
          trim: all.trim ?? next.trim,
        }),
        NO_POST_PROCESSOR,
      );
    default:
      throw unsupported('post_processor', config.type, TYPES);
  }
}

const tokenId = (pair: unknown): number => Number((pair as [string, number])[1]);

function templateProcessing({ single, special_tokens }: ComponentJson): PostProcessor {
  const where = 'tokenizer.json: post_processor TemplateProcessing';
  const specials = asRecord(special_tokens, `${where}: special_tokens`);
  const before: number[] = [];
  const after: number[] = [];
  let side = before;
  for (const item of single as Record<string, { id: string }>[]) {
    if (item.Sequence) {
      side = after;
      continue;
    }
    const id = item.SpecialToken?.id;
    const entry = id === undefined ? undefined : (specials[id] as { ids?: number[] } | undefined);
    if (!entry?.ids) throw new TokenizerError(`${where}: ${JSON.stringify(item)} has no ids in special_tokens.`);
    side.push(...entry.ids);
  }
  return { before, after, trim: null };
}
