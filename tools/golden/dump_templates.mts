import { BUILTIN_TEMPLATE_NAMES, builtinChatTemplate } from '../../src/tokenizer/builtin-templates.js';

process.stdout.write(
  JSON.stringify(Object.fromEntries(BUILTIN_TEMPLATE_NAMES.map((name) => [name, builtinChatTemplate(name)]))),
);
