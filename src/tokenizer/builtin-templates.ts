import { nearest } from '../text/index.js';
import { TokenizerError } from './tokenizer-json.js';

const TOOLS_INTRO =
  '# Tools\\n\\nYou may call one or more functions to assist with the user query.\\n\\n' +
  'You are provided with function signatures within <tools></tools> XML tags:\\n<tools>';
const TOOLS_OUTRO =
  '\\n</tools>\\n\\nFor each function call, return a json object with function name and arguments within ' +
  '<tool_call></tool_call> XML tags:\\n<tool_call>\\n{"name": <function-name>, "arguments": <args-json-object>}\\n</tool_call>';

const lines = (...parts: string[]): string => parts.join('\n');

/** Headers of ChatML around every message. */
const CHATML = lines(
  '{%- for message in messages %}',
  "    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}",
  '{%- endfor %}',
  '{%- if add_generation_prompt %}',
  "    {{- '<|im_start|>assistant\\n' }}",
  '{%- endif %}',
);

/** The calls of an assistant message, as both Qwen formats write them. */
const QWEN_CALLS = lines(
  '{%- macro write_calls(calls, joined) %}',
  '    {%- for call in calls %}',
  '        {%- set function = call.function if call.function else call %}',
  "        {%- if joined or not loop.first %}{{- '\\n' }}{%- endif %}",
  '        {{- \'<tool_call>\\n{"name": "\' + function.name + \'", "arguments": \' }}',
  '        {{- function.arguments if function.arguments is string else function.arguments | tojson }}',
  "        {{- '}\\n</tool_call>' }}",
  '    {%- endfor %}',
  '{%- endmacro %}',
);

/** A row of tool results is one user turn. */
const QWEN_RESULT = lines(
  "    {%- elif message.role == 'tool' %}",
  "        {%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}{{- '<|im_start|>user' }}{%- endif %}",
  "        {{- '\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}",
  "        {%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{- '<|im_end|>\\n' }}{%- endif %}",
);

const QWEN_TOOLS = lines(
  `    {{- '${TOOLS_INTRO}' }}`,
  "    {%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{%- endfor %}",
  `    {{- '${TOOLS_OUTRO}<|im_end|>\\n' }}`,
);

const QWEN_25 = lines(
  QWEN_CALLS,
  "{%- if messages[0].role == 'system' %}",
  '    {%- set system = messages[0].content %}',
  '{%- else %}',
  "    {%- set system = 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.' %}",
  '{%- endif %}',
  "{{- '<|im_start|>system\\n' + system }}",
  '{%- if tools %}',
  "    {{- '\\n\\n' }}",
  QWEN_TOOLS,
  '{%- else %}',
  "    {{- '<|im_end|>\\n' }}",
  '{%- endif %}',
  '{%- for message in messages %}',
  "    {%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}",
  "        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}",
  "    {%- elif message.role == 'assistant' %}",
  "        {{- '<|im_start|>assistant' }}",
  '        {%- if message.content or not message.tool_calls %}',
  "            {{- '\\n' + (message.content if message.content is string else '') }}",
  '        {%- endif %}',
  '        {{- write_calls(message.tool_calls or [], true) }}',
  "        {{- '<|im_end|>\\n' }}",
  QWEN_RESULT,
  '    {%- endif %}',
  '{%- endfor %}',
  "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}",
);

/** Thinking is kept only in the turns after the last question of the user. */
const QWEN_3 = lines(
  QWEN_CALLS,
  '{%- if tools %}',
  "    {{- '<|im_start|>system\\n' }}",
  "    {%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}",
  QWEN_TOOLS,
  "{%- elif messages[0].role == 'system' %}",
  "    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}",
  '{%- endif %}',
  '{%- set ns = namespace(last_query=messages | length - 1, found=false) %}',
  '{%- for message in messages[::-1] %}',
  "    {%- set is_result = message.content is string and message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>') %}",
  "    {%- if not ns.found and message.role == 'user' and not is_result %}",
  '        {%- set ns.found = true %}',
  '        {%- set ns.last_query = messages | length - 1 - loop.index0 %}',
  '    {%- endif %}',
  '{%- endfor %}',
  '{%- for message in messages %}',
  "    {%- set content = message.content if message.content is string else '' %}",
  "    {%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}",
  "        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>\\n' }}",
  "    {%- elif message.role == 'assistant' %}",
  "        {%- set thinking = '' %}",
  '        {%- if message.reasoning_content is string %}',
  '            {%- set thinking = message.reasoning_content %}',
  "        {%- elif '</think>' in content %}",
  "            {%- set thinking = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}",
  "            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}",
  '        {%- endif %}',
  "        {{- '<|im_start|>assistant\\n' }}",
  '        {%- if loop.index0 > ns.last_query and (loop.last or thinking) %}',
  "            {{- '<think>\\n' + thinking.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}",
  '        {%- else %}',
  '            {{- content }}',
  '        {%- endif %}',
  "        {{- write_calls(message.tool_calls or [], content != '') }}",
  "        {{- '<|im_end|>\\n' }}",
  QWEN_RESULT,
  '    {%- endif %}',
  '{%- endfor %}',
  '{%- if add_generation_prompt %}',
  "    {{- '<|im_start|>assistant\\n' }}",
  '    {%- if enable_thinking is defined and enable_thinking is false %}',
  "        {{- '<think>\\n\\n</think>\\n\\n' }}",
  '    {%- endif %}',
  '{%- endif %}',
);

/** Mistral's formats differ in the spaces around the markers; a system message goes before the first question. */
const mistral = (open: string, close: string, beforeAnswer: string): string =>
  lines(
    '{{- bos_token }}',
    "{%- set system = messages[0].content + '\\n\\n' if messages[0].role == 'system' else '' %}",
    "{%- set turns = messages[1:] if messages[0].role == 'system' else messages %}",
    '{%- for message in turns %}',
    "    {%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}",
    "        {{- raise_exception('After the optional system message, roles must alternate user/assistant/user/assistant.') }}",
    '    {%- endif %}',
    "    {%- if message.role == 'user' %}",
    `        {{- '${open}' + (system if loop.first else '') + message.content + '${close}' }}`,
    '    {%- else %}',
    `        {{- '${beforeAnswer}' + message.content + eos_token }}`,
    '    {%- endif %}',
    '{%- endfor %}',
  );

const MISTRAL_V7_TEKKEN = lines(
  '{{- bos_token }}',
  '{%- for message in messages %}',
  "    {%- if message.role == 'system' %}",
  "        {{- '[SYSTEM_PROMPT]' + message.content + '[/SYSTEM_PROMPT]' }}",
  "    {%- elif message.role == 'user' %}",
  "        {{- '[INST]' + message.content + '[/INST]' }}",
  "    {%- elif message.role == 'assistant' %}",
  '        {{- message.content + eos_token }}',
  '    {%- else %}',
  "        {{- raise_exception('Only system, user and assistant messages are supported.') }}",
  '    {%- endif %}',
  '{%- endfor %}',
);

const gemma = (system: 'refused' | 'joined'): string =>
  lines(
    '{{- bos_token }}',
    "{%- set first = '' %}",
    '{%- set turns = messages %}',
    "{%- if messages[0].role == 'system' %}",
    system === 'refused'
      ? "    {{- raise_exception('System role not supported') }}"
      : "    {%- set first = messages[0].content + '\\n\\n' %}\n    {%- set turns = messages[1:] %}",
    '{%- endif %}',
    '{%- for message in turns %}',
    "    {%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}",
    "        {{- raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}",
    '    {%- endif %}',
    "    {%- set role = 'model' if message.role == 'assistant' else message.role %}",
    "    {{- '<start_of_turn>' + role + '\\n' + (first if loop.first else '') + message.content | trim + '<end_of_turn>\\n' }}",
    '{%- endfor %}',
    "{%- if add_generation_prompt %}{{- '<start_of_turn>model\\n' }}{%- endif %}",
  );

const TEMPLATES: Readonly<Record<string, string>> = {
  alpaca: lines(
    '{%- for message in messages %}',
    "    {%- if message.role == 'system' %}",
    "        {{- message.content + '\\n\\n' }}",
    "    {%- elif message.role == 'user' %}",
    "        {{- '### Instruction:\\n' + message.content + '\\n\\n' }}",
    "    {%- elif message.role == 'assistant' %}",
    "        {{- '### Response:\\n' + message.content + eos_token + ('' if loop.last else '\\n\\n') }}",
    '    {%- endif %}',
    '{%- endfor %}',
    "{%- if add_generation_prompt %}{{- '### Response:\\n' }}{%- endif %}",
  ),
  chatml: CHATML,
  gemma: gemma('refused'),
  gemma3: gemma('joined'),
  llama3: lines(
    '{{- bos_token }}',
    '{%- for message in messages %}',
    "    {{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' + message.content | trim + '<|eot_id|>' }}",
    '{%- endfor %}',
    "{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}",
  ),
  mistral_v1: mistral(' [INST] ', ' [/INST]', ' '),
  mistral_v2v3: mistral('[INST] ', '[/INST]', ' '),
  mistral_v7_tekken: MISTRAL_V7_TEKKEN,
  phi_3: lines(
    '{%- for message in messages %}',
    "    {{- '<|' + message.role + '|>\\n' + message.content + '<|end|>\\n' }}",
    '{%- endfor %}',
    "{%- if add_generation_prompt %}{{- '<|assistant|>\\n' }}{%- endif %}",
  ),
  phi_4: lines(
    '{%- for message in messages %}',
    "    {{- '<|im_start|>' + message.role + '<|im_sep|>' + message.content + '<|im_end|>' }}",
    '{%- endfor %}',
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant<|im_sep|>' }}{%- endif %}",
  ),
  qwen_25: QWEN_25,
  qwen3: QWEN_3,
};

export const BUILTIN_TEMPLATE_NAMES: readonly string[] = Object.freeze(Object.keys(TEMPLATES));

/** The source of a built-in chat template. Throws TokenizerError naming the nearest known name. */
export function builtinChatTemplate(name: string): string {
  if (Object.hasOwn(TEMPLATES, name)) return TEMPLATES[name]!;
  const best = nearest(name.replace(/[-. ]/g, '_'), BUILTIN_TEMPLATE_NAMES);
  const hint = best === null ? '' : ` Did you mean "${best}"?`;
  throw new TokenizerError(
    `no built-in chat template is named "${name}".${hint} Known: ${BUILTIN_TEMPLATE_NAMES.join(', ')}.`,
  );
}
