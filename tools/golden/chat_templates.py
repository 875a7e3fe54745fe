"""Golden conversations for chat templates: what transformers' apply_chat_template makes of them, for the built-in
templates and for further ones in the formats of well-known models.  Run:  python tools/golden/chat_templates.py

Writes test/golden/tokenizers/templates.json with {templates: name → source, conversations, cases}.
"""
import json
import subprocess
from pathlib import Path

from transformers import AutoTokenizer

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "test" / "golden" / "tokenizers"

LLAMA2 = r"""
{%- if messages[0]['role'] == 'system' -%}
    {%- set loop_messages = messages[1:] -%}
    {%- set system_message = messages[0]['content'] -%}
{%- else -%}
    {%- set loop_messages = messages -%}
    {%- set system_message = false -%}
{%- endif -%}
{%- for message in loop_messages -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
    {%- endif -%}
    {%- if loop.index0 == 0 and system_message != false -%}
        {%- set content = '<<SYS>>\n' + system_message + '\n<</SYS>>\n\n' + message['content'] -%}
    {%- else -%}
        {%- set content = message['content'] -%}
    {%- endif -%}
    {%- if message['role'] == 'user' -%}
        {{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}
    {%- elif message['role'] == 'assistant' -%}
        {{ ' ' + content.strip() + ' ' + eos_token }}
    {%- endif -%}
{%- endfor -%}
"""

ZEPHYR = """{% for message in messages %}
{% if message['role'] == 'user' %}
{{ '<|user|>\n' + message['content'] + eos_token }}
{% elif message['role'] == 'system' %}
{{ '<|system|>\n' + message['content'] + eos_token }}
{% elif message['role'] == 'assistant' %}
{{ '<|assistant|>\n'  + message['content'] + eos_token }}
{% endif %}
{% if loop.last and add_generation_prompt %}
{{ '<|assistant|>' }}
{% endif %}
{% endfor %}
"""

LLAMA3_TOOLS = r"""{{- bos_token }}
{%- if custom_tools is defined %}
    {%- set tools = custom_tools %}
{%- endif %}
{%- if not date_string is defined %}
    {%- set date_string = strftime_now("%d %b %Y") %}
{%- endif %}
{%- if not tools is defined %}
    {%- set tools = none %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\n\n" }}
{{- "Today Date: " + date_string + "\n\n" }}
{%- if tools is not none %}
    {{- "You have access to these functions:\n\n" }}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\n\n" }}
    {%- endfor %}
{%- endif %}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'+ message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("This model only supports single tool-calls at once!") }}
        {%- endif %}
        {%- set tool_call = message.tool_calls[0].function %}
        {{- '<|start_header_id|>assistant<|end_header_id|>\n\n' -}}
        {{- '{"name": "' + tool_call.name + '", ' }}
        {{- '"parameters": ' }}
        {{- tool_call.arguments | tojson }}
        {{- "}" }}
        {{- "<|eot_id|>" }}
    {%- elif message.role == "tool" or message.role == "ipython" %}
        {{- "<|start_header_id|>ipython<|end_header_id|>\n\n" }}
        {%- if message.content is mapping or message.content is iterable %}
            {{- message.content | tojson }}
        {%- else %}
            {{- message.content }}
        {%- endif %}
        {{- "<|eot_id|>" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}
{%- endif %}
"""

MISTRAL_V3 = r"""
{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{%- if not tools is defined %}
    {%- set tools = none %}
{%- endif %}
{%- set user_messages = loop_messages | selectattr("role", "equalto", "user") | list %}
{%- set ns = namespace() %}
{%- set ns.index = 0 %}
{%- for message in loop_messages %}
    {%- if not (message.role == "tool" or (message.tool_calls is defined and message.tool_calls is not none)) %}
        {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
            {{- raise_exception("After the optional system message, conversation roles must alternate user/assistant/user/assistant/...") }}
        {%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message["role"] == "user" %}
        {%- if tools is not none and (message == user_messages[-1]) %}
            {{- "[AVAILABLE_TOOLS] [" }}
            {%- for tool in tools %}
                {%- set tool = tool.function %}
                {{- '{"type": "function", "function": {' }}
                {%- for key, val in tool.items() if key != "return" %}
                    {%- if val is string %}
                        {{- '"' + key + '": "' + val + '"' }}
                    {%- else %}
                        {{- '"' + key + '": ' + val|tojson }}
                    {%- endif %}
                    {%- if not loop.last %}
                        {{- ", " }}
                    {%- endif %}
                {%- endfor %}
                {{- "}}" }}
                {%- if not loop.last %}
                    {{- ", " }}
                {%- else %}
                    {{- "]" }}
                {%- endif %}
            {%- endfor %}
            {{- "[/AVAILABLE_TOOLS]" }}
        {%- endif %}
        {%- if loop.last and system_message is defined %}
            {{- "[INST] " + system_message + "\n\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST] " + message["content"] + "[/INST]" }}
        {%- endif %}
    {%- elif message.tool_calls is defined and message.tool_calls is not none %}
        {{- "[TOOL_CALLS] [" }}
        {%- for tool_call in message.tool_calls %}
            {%- set out = tool_call.function|tojson %}
            {{- out[:-1] }}
            {{- ', "id": "' + tool_call.id + '"}' }}
            {%- if not loop.last %}
                {{- ", " }}
            {%- else %}
                {{- "]" + eos_token }}
            {%- endif %}
        {%- endfor %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"]|trim + eos_token}}
    {%- elif message["role"] == "tool" %}
        {%- set content = message.content %}
        {{- '[TOOL_RESULTS] {"content": ' + content|string + ", " }}
        {{- '"call_id": "' + message.tool_call_id + '"}[/TOOL_RESULTS]' }}
    {%- endif %}
{%- endfor %}
"""

# One of everything that templates do.
ODD = r"""{#- A comment -#}
{%- macro show(text, mark='*', times=1) -%}
    {{ mark * times }}{{ text }}{{ mark }}
{%- endmacro %}
{% macro wrap(name) %}<{{ name }}>{{ caller() }}</{{ name }}>{% endmacro %}
{% set ns = namespace(seen=[], count=0, last=none) %}
  {% for message in messages %}
    {% if message.role == 'skip' %}{% continue %}{% endif %}
    {% if message.role == 'stop' %}
stopped{% break %}
    {% endif %}
    {% generation %}
{{ loop.index }}/{{ loop.length }} {{ loop.cycle('odd', 'even') }} {{ show(message.role, times=2) }}: {{ message.content }}
    {% endgeneration %}
    {% set ns.count = ns.count + 1 %}
    {% set ns.last = message.content %}
    {% set inside = 'lost' %}
  {% else %}
no messages
  {% endfor %}
{{ inside is defined }} {{ ns.count }} {{ none }} {{ true }} {{ [1, 2.5, 'a\'b', "q", none, false] }} {{ {'k': [1], "x": {}} }}
{% call wrap('b') %}called {{ ns.count }}{% endcall %}

{% set block %}
captured {{ 1 + 2 * 3 }}
{% endset %}
{{- block | trim | upper }} {{ block | length }}
{% filter upper %}filtered{% endfilter %}
{% for k, v in {'b': 1, 'a': 'x'} | dictsort %}{{ k }}={{ v }}{{ ', ' if not loop.last }}{% endfor %}
{{ messages | map(attribute='role') | join('|') }} {{ messages | selectattr('role', 'equalto', 'user') | list | length }} {{ messages | rejectattr('role', 'in', ['user', 'system']) | map(attribute='role') | list }}
{{ 7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 2 ** 5 }} {{ 7 / 2 }} {{ '%s-%d' % ('a', 3) }} {{ 'a' ~ 1 ~ none }} {{ 'x' in 'xyz' }} {{ 3 not in [1, 2] }}
{{ 'Hello World'.split() }} {{ 'a,b,c'.split(',', 1) }} {{ '  pad  '.strip() }}|{{ 'xxhixx'.strip('x') }}|{{ 'abc'[1:] }}|{{ 'abc'[-1] }}|{{ 'abc'[::-1] }}|{{ '😀b'[0] }}|{{ '😀b' | length }}
{{ {'a': 1, 'é': '😀"\n\\/<>&\''} | tojson }} {{ [] | tojson(indent=2) }} {{ {'z': [1, {'y': 2}], 'a': {}} | tojson(indent=2, sort_keys=true) }} {{ {'a': [1, 2]} | tojson(separators=(',', ':')) }} {{ 'é' | tojson(ensure_ascii=true) }}
{{ undefined_thing }}|{{ undefined_thing is defined }}|{{ undefined_thing | default('dflt') }}|{{ '' | default('d', true) }}|{{ messages[0].nothing is defined }}|{{ messages[0].get('nothing', 'got') }}
{{ 'title case here' | title }} {{ 'cAPS' | capitalize }} {{ 'a-b' | replace('-', '+') }} {{ [3, 1, 2] | sort }} {{ [1, 2, 3] | first }} {{ [1, 2, 3] | last }} {{ [1, 1, 2] | unique | list }} {{ 'ab' | list }} {{ ' x ' | trim }} {{ '42' | int + 1 }} {{ 3.7 | int }} {{ 2.51 | round(1) }} {{ 'abc' | reverse }}
{{ ['a', 'b'] | length }} {{ [[1, 2], [3]] | sum(start=[]) if false else 'no' }} {{ 1 if true else 2 }} {{ 'only' if false }} {{ not true or false and true }} {{ (1, 2)[0] }} {{ {'a': {'b': 5}}.a.b }} {{ {'a': 1}.items() | list }} {{ range(3) | list }} {{ range(5, 0, -2) | list }}
{{ 'multi\nline' | indent(2) }} {{ 'x' is string }} {{ {} is mapping }} {{ [] is iterable }} {{ 1 is number }} {{ none is none }} {{ 'abc'.startswith('a') }} {{ 'abc'.endswith(('x', 'c')) }} {{ 'a b'.replace(' ', '') }} {{ 'abc'.find('c') }} {{ 'A'.lower() }} {{ "tab\tq" | tojson }}
{%- if add_generation_prompt %}
go{% endif %}
"""

EXTRA = {"llama2": LLAMA2, "zephyr": ZEPHYR, "llama3_tools": LLAMA3_TOOLS, "mistral_v3": MISTRAL_V3, "odd": ODD}

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Weather of a city <now> & \"then\" – é",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 1}, "scale": {"type": "number", "minimum": 0.5}},
                "required": ["city"],
            },
        },
    },
    {"type": "function", "function": {"name": "noop", "description": "", "parameters": {"type": "object", "properties": {}}}},
]


def m(role, content, **more):
    return {"role": role, "content": content, **more}


def call(name, arguments, ident="call12345"):
    return {"type": "function", "id": ident, "function": {"name": name, "arguments": arguments}}


CONVERSATIONS = {
    "plain": [m("user", "Hello"), m("assistant", "Hi there.")],
    "system": [m("system", "Be brief."), m("user", "What is 2+2?"), m("assistant", "4"), m("user", "And 3+3?"), m("assistant", "6")],
    "question": [m("user", "Who?")],
    "spaces": [m("system", "  \n sys \n"), m("user", "\n\n  padded  \n"), m("assistant", "\t answer \n\n")],
    "empty": [m("user", ""), m("assistant", "")],
    "glue": [m("user", "<|im_end|>\n<|im_start|>assistant\nuser"), m("assistant", "assistant"), m("user", "[INST] x [/INST]"), m("assistant", "</s><|eot_id|> <end_of_turn>")],
    "repeated": [m("user", "same"), m("assistant", "same"), m("user", "same"), m("assistant", "same")],
    "unicode": [m("user", "你好 😀 👩‍👩‍👧 e\u0301 \u00a0nbsp\u2003"), m("assistant", "\ufeffمرحبا 🇩🇪\u0085")],
    "code": [m("user", "```py\ndef f():\n\treturn '\\n'\n```"), m("assistant", "{\"a\": [1, 2], 'b': \"c\"}\r\n")],
    "thinking": [
        m("user", "q1"), m("assistant", "<think>\nold thought\n</think>\n\na1"),
        m("user", "q2"), m("assistant", "<think>\nnew thought\nmore\n</think>\n\na2"),
    ],
    "reasoning": [
        m("user", "q1"), m("assistant", "a1", reasoning_content="first"),
        m("user", "q2"), m("assistant", "\n\na2", reasoning_content="\n  second \n\n"),
    ],
    "tools": [
        m("system", "Use tools."), m("user", "Weather in Paris?"),
        m("assistant", "", tool_calls=[call("get_weather", {"city": "Paris", "days": 2, "x": [1.5, None, True, "é"]})]),
        m("tool", '{"t": 21}', tool_call_id="call12345", name="get_weather"),
        m("assistant", "21 degrees."), m("user", "Thanks"), m("assistant", "Welcome."),
    ],
    "two_results": [
        m("user", "Both?"),
        m("assistant", "Calling.", tool_calls=[call("get_weather", {"city": "A"}), call("noop", {}, "call54321")]),
        m("tool", "one", tool_call_id="call12345"), m("tool", "two", tool_call_id="call54321"),
    ],
    "two_users": [m("user", "a"), m("user", "b")],
    "late_system": [m("user", "a"), m("system", "s"), m("assistant", "c")],
    "loop_control": [m("user", "a"), m("skip", "b"), m("user", "c"), m("stop", "d"), m("user", "e")],
}


def main():
    dumped = subprocess.run(["npx", "tsx", "tools/golden/dump_templates.mts"], cwd=ROOT, capture_output=True, check=True, text=True)
    builtin = json.loads(dumped.stdout)
    templates = {**builtin, **EXTRA}
    tok = AutoTokenizer.from_pretrained(OUT / "llama2")
    cases = []
    for name, source in templates.items():
        for conversation, messages in CONVERSATIONS.items():
            for options in ({}, {"addGenerationPrompt": True}, {"tools": True}, {"kwargs": {"enable_thinking": False}, "addGenerationPrompt": True}):
                if options.get("tools") and conversation not in ("plain", "system", "tools", "two_results"):
                    continue
                if options.get("kwargs") and (name != "qwen3" or conversation not in ("plain", "question")):
                    continue
                if name == "llama3_tools":
                    options = {**options, "kwargs": {"date_string": "01 Jan 2025"}}
                case = {"template": name, "conversation": conversation, **options}
                try:
                    case["text"] = tok.apply_chat_template(
                        messages,
                        chat_template=source,
                        tools=TOOLS if options.get("tools") else None,
                        add_generation_prompt=options.get("addGenerationPrompt", False),
                        tokenize=False,
                        **options.get("kwargs", {}),
                    )
                except Exception as error:
                    case["error"] = str(error)
                cases.append(case)
    value = {"builtin": list(builtin), "templates": templates, "tools": TOOLS, "conversations": CONVERSATIONS, "cases": cases}
    (OUT / "templates.json").write_text(json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
