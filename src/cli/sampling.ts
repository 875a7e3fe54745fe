import { didYouMean, UserError } from '../config/index.js';
import type { SamplingParams } from '../engine/index.js';

/** What a user may set of how answers are sampled. */
export interface SamplingSettings {
  readonly temperature: number;
  readonly top_p: number;
  readonly top_k: number;
  readonly min_p: number;
  readonly repetition_penalty: number;
  readonly max_new_tokens: number;
  readonly seed: number;
}

export type SettingName = keyof SamplingSettings;

export const defaultSettings: SamplingSettings = Object.freeze({
  temperature: 0.9,
  top_p: 0.95,
  top_k: 40,
  min_p: 0,
  repetition_penalty: 1.1,
  max_new_tokens: 1024,
  seed: 42,
});

interface Range {
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
  /** The lower end itself is excluded. */
  readonly above?: boolean;
}

const ranges: Readonly<Record<SettingName, Range>> = {
  temperature: { min: 0, max: 5 },
  top_p: { min: 0, max: 1, above: true },
  top_k: { min: 0, max: 1e6, whole: true },
  min_p: { min: 0, max: 1 },
  repetition_penalty: { min: 0, max: 10, above: true },
  max_new_tokens: { min: 1, max: 1e6, whole: true },
  seed: { min: 0, max: 0xffffffff, whole: true },
};

export const settingNames = Object.keys(ranges) as SettingName[];

/** The settings with one changed, from texts as the user writes them (`top-p` and `top_p` are the same). */
export function withSetting(settings: SamplingSettings, name: string, text: string): SamplingSettings {
  const key = name.replaceAll('-', '_');
  if (!Object.hasOwn(ranges, key)) {
    const hint = didYouMean(key, settingNames) || `; there are ${settingNames.join(', ')}`;
    throw new UserError(`there is no setting ${JSON.stringify(name)}${hint}`);
  }
  const { min, max, whole, above } = ranges[key as SettingName];
  const value = Number(text);
  const valid = text.trim() !== '' && value >= min && value <= max && !(above && value === min);
  if (!valid || (whole && !Number.isInteger(value))) {
    throw new UserError(
      `${key} is ${JSON.stringify(text)}; it must be ${whole ? 'a whole number' : 'a number'} ${above ? 'above' : 'from'} ${min} ${above ? 'and at most' : 'to'} ${max}`,
    );
  }
  return { ...settings, [key]: value };
}

/** @param room tokens that the model's positions leave behind the prompt */
export function samplingParams(
  settings: SamplingSettings,
  stopTokens: readonly number[],
  room: number,
): SamplingParams {
  return {
    maxTokens: Math.min(settings.max_new_tokens, room),
    temperature: settings.temperature,
    topP: settings.top_p,
    topK: settings.top_k,
    minP: settings.min_p,
    repetitionPenalty: settings.repetition_penalty,
    stopTokens,
    stopStrings: [],
  };
}
