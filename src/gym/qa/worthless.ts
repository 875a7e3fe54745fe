import { shorten } from '../../text/index.js';
import type { CaseSet, Environment } from '../environment/types.js';
import type { Language } from '../language.js';
import type { Value } from '../value.js';
import type { ValueType } from '../value-type.js';
import { functionNameOf } from './function-name.js';

/** An answer that nobody should earn anything with. */
interface WorthlessAnswer {
  /** `empty`, `constant []`, `echo of argument 1`. */
  readonly name: string;
  readonly text: string;
}

const prose = 'First we look at the input, then we think about what is asked. The answer follows from that.\n';

/** Answers worth nothing for these cases, in one language. */
export function worthlessAnswers(
  environment: Environment,
  cases: CaseSet,
  language: Language,
): readonly WorthlessAnswer[] {
  const always = [
    { name: 'empty', text: '' },
    { name: 'prose', text: prose },
  ];
  if (environment.kind === 'document') return [...always, ...documents(environment, cases)];
  if (environment.kind === 'script') return [...always, ...scripts(language)];
  if (language === 'bash') return always;
  const define = functionOf(functionNameOf(environment, language), language);
  const stubs =
    language === 'python' ? ['pass', 'raise NotImplementedError'] : ['', 'throw new Error("not implemented");'];
  return [
    ...always,
    ...stubs.map((body) => ({
      name: body === '' || body === 'pass' ? 'stub' : 'stub that raises',
      text: define(body),
    })),
    ...Array.from({ length: environment.signature?.parameters.length ?? 1 }, (_, at) => ({
      name: `echo of argument ${at + 1}`,
      text: define(`return args[${at}]`),
    })),
    ...constants(environment, cases, language).map((source) => ({
      name: `constant ${shorten(source, 40)}`,
      text: define(`return ${source}`),
    })),
  ];
}

function functionOf(name: string, language: Language): (body: string) => string {
  if (language === 'python') return (body) => `def ${name}(*args):\n    ${body}\n`;
  return (body) => `export function ${name}(...args${language === 'typescript' ? ': any[]' : ''}) {\n  ${body}\n}\n`;
}

/** What a lazy answer returns for every input, as source: the usual values, those of the type, and the commonest expected value. */
function constants(environment: Environment, cases: CaseSet, language: Language): readonly string[] {
  const usual: readonly Value[] = [0, -1, 1, true, false, '', [], null, { d: [] }, { f: '0.0' }];
  const values = [...usual, ...ofType(environment.signature?.returns), ...commonest(cases)];
  return [...new Set(values.map((value) => literal(value, language)))];
}

/** A pair of what the type's lists and tuples would hold at the least. */
function ofType(type: ValueType | undefined): Value[] {
  if (type === undefined) return [];
  const [simple] = zeros(type);
  if (simple === undefined) return [];
  return type.kind === 'list' ? [[], [simple], [[]]] : [simple];
}

function zeros(type: ValueType): Value[] {
  switch (type.kind) {
    case 'int':
      return [0];
    case 'float':
      return [{ f: '0.0' }];
    case 'str':
      return [''];
    case 'bool':
      return [false];
    case 'bytes':
      return [{ b: '' }];
    case 'tuple':
      return [{ t: type.of.flatMap(zeros) }];
    case 'list':
      return zeros(type.of);
    case 'set':
      return [{ s: [] }];
    case 'dict':
      return [{ d: [] }];
    case 'union':
      return zeros(type.of[0]!);
    default:
      return [null];
  }
}

function commonest(cases: CaseSet): Value[] {
  const counts = new Map<string, { value: Value; count: number }>();
  for (const { expected } of cases.cases) {
    if (expected === undefined) continue;
    const key = JSON.stringify(expected);
    const entry = counts.get(key) ?? { value: expected, count: 0 };
    entry.count++;
    counts.set(key, entry);
  }
  const sorted = [...counts.values()].sort((a, b) => b.count - a.count);
  return sorted.slice(0, 1).map(({ value }) => value);
}

/** A value as source text. */
export function literal(value: Value, language: Language): string {
  const python = language === 'python';
  const list = (items: readonly Value[]) => items.map((item) => literal(item, language)).join(', ');
  if (value === null) return python ? 'None' : 'null';
  if (typeof value === 'boolean') return python ? (value ? 'True' : 'False') : String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `[${list(value as readonly Value[])}]`;
  const tagged = value as Exclude<Value, null | boolean | string | number | readonly Value[]>;
  if ('i' in tagged) return python ? tagged.i : `${tagged.i}n`;
  if ('f' in tagged) {
    if (python) return /[a-z]{3}/.test(tagged.f) ? `float("${tagged.f}")` : tagged.f;
    return tagged.f.replace('inf', 'Infinity').replace('nan', 'NaN');
  }
  if ('t' in tagged) return python ? `(${list(tagged.t)}${tagged.t.length === 1 ? ',' : ''})` : `[${list(tagged.t)}]`;
  if ('s' in tagged) return python ? `set([${list(tagged.s)}])` : `new Set([${list(tagged.s)}])`;
  if ('b' in tagged)
    return python
      ? `__import__("base64").b64decode("${tagged.b}")`
      : `new Uint8Array(Buffer.from("${tagged.b}", "base64"))`;
  const pairs = tagged.d.map(([key, item]) => [literal(key, language), literal(item, language)] as const);
  if (python) return `{${pairs.map(([key, item]) => `${key}: ${item}`).join(', ')}}`;
  return `new Map([${pairs.map(([key, item]) => `[${key}, ${item}]`).join(', ')}])`;
}

function scripts(language: Language): WorthlessAnswer[] {
  const lines: Readonly<Record<string, readonly string[]>> = {
    bash: ['true', 'echo done', 'echo 0; exit 0', 'ls -la', 'cat ./* 2>/dev/null', '# TODO\n:'],
    python: ['pass', 'print("done")', 'print(0)', 'import os\nprint(os.listdir("."))', 'raise NotImplementedError'],
    javascript: ['', 'console.log("done");', 'console.log(0);', 'throw new Error("not implemented");'],
  };
  return (lines[language] ?? []).map((text) => ({ name: `script: ${text.split('\n')[0]}`, text: `${text}\n` }));
}

function documents(environment: Environment, cases: CaseSet): WorthlessAnswer[] {
  const texts: readonly (readonly [string, string])[] = [
    ['empty object', '{}'],
    ['empty list', '[]'],
    ['null', 'null'],
    ['number', '1'],
    ['fenced empty object', '```json\n{}\n```'],
    ['echo of the task', environment.task],
    ['echo of the case', JSON.stringify(cases.cases[0]?.input ?? null)],
  ];
  return texts.map(([name, text]) => ({ name, text }));
}
