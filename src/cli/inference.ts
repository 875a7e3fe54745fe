import { stdin, stdout } from 'node:process';
import { text } from 'node:stream/consumers';
import { splitArguments, UserError } from '../config/index.js';
import { createConsole } from '../observe/index.js';
import type { Prompt } from '../rollout/index.js';
import { onePositional } from './arguments.js';
import { chat } from './chat.js';
import { openModelArgument } from './model-argument.js';
import { openReplier } from './replier.js';
import { defaultSettings, type SamplingSettings, settingNames, withSetting } from './sampling.js';

const samplingFlags = {
  temperature: 'value',
  'top-p': 'value',
  'top-k': 'value',
  'min-p': 'value',
  'repetition-penalty': 'value',
  'max-new-tokens': 'value',
  seed: 'value',
} as const;

/** `anneal inference CONFIG|MODEL`: answers one prompt from the command line or stdin, or holds a conversation. */
export async function run(args: string[]): Promise<number> {
  const { positionals, own, overrides } = splitArguments(args, {
    prompt: 'value',
    system: 'value',
    chat: 'flag',
    ...samplingFlags,
  });
  const target = onePositional('inference', positionals, 'a YAML file or a model');
  if (own.chat && own.prompt !== undefined) throw new UserError('inference: --chat and --prompt exclude each other');
  const settings = settingNames.reduce<SamplingSettings>((changed, name) => {
    const value = own[name.replaceAll('_', '-') as keyof typeof samplingFlags];
    return value === undefined ? changed : withSetting(changed, name, value);
  }, defaultSettings);
  const console = createConsole();
  try {
    const { model } = await openModelArgument(target, overrides, console);
    const hasTemplate = model.tokenizer.chatTemplate !== null;
    if (!hasTemplate && (own.chat || own.system !== undefined)) {
      throw new UserError(
        `${model.description}: it has no chat template, so there are no turns; use --prompt or stdin, which take the text as it is`,
      );
    }
    console.log(model.description);
    const replier = await openReplier(model);
    try {
      if (own.chat) return await chat({ replier, settings, system: own.system ?? null, input: stdin, output: stdout });
      if (own.prompt === undefined && stdin.isTTY) console.log('type the prompt and end with Ctrl-D');
      const question = own.prompt ?? (await text(stdin)).replace(/\n$/, '');
      if (question === '') throw new UserError('inference: the prompt is empty');
      const system = own.system === undefined ? [] : [{ role: 'system', content: own.system }];
      const prompt: Prompt = hasTemplate ? [...system, { role: 'user', content: question }] : question;
      const { finishReason } = await replier.reply(prompt, settings, (piece) => stdout.write(piece));
      stdout.write('\n');
      if (finishReason === 'length') console.log('(stopped at the length limit)');
      return 0;
    } finally {
      await replier.close();
    }
  } finally {
    console.close();
  }
}
