import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { gymAsset } from '../../../src/gym/assets.js';
import { brokenInJavaScript } from '../../../src/gym/verify/javascript-rules.js';
import { moduleText } from '../../../src/gym/verify/module-text.js';
import { describePython } from '../support.js';

const javascript = (source: string, forbid: string[], require: string[] = []) =>
  brokenInJavaScript(source, { forbid, require }, 'solve');

describe('rules about JavaScript', () => {
  it.each([
    ['a.sort()', 'uses .sort (line 1)'],
    ['a?.sort()', 'uses .sort (line 1)'],
    ["a['sort']()", 'uses .sort (line 1)'],
    ["a['so' + 'rt']()", 'uses .sort (line 1)'],
    ['a[`sort`]()', 'uses .sort (line 1)'],
    ['Array.prototype.sort.call(a)', 'uses .sort (line 1)'],
    ['const { sort } = Array.prototype', 'uses .sort (line 1)'],
    ["const { ['sort']: s } = []", 'uses .sort (line 1)'],
    ["Reflect.get([], 'sort')", 'uses .sort (line 1)'],
    ['a[name]()', 'uses a method with a computed name (line 1)'],
    ...[
      'a[name].call(a)',
      'const f = a[name]; f.call(a)',
      'let f; f = a[name]; f.apply(a, [])',
      'a.f = a[name]; a.f()',
      'const o = { f: a[name] }; o.f()',
      'const { [name]: f } = a',
      'Object.getOwnPropertyDescriptor(Array.prototype, name).value',
      'Object.getOwnPropertyNames(Array.prototype)',
      'Reflect.ownKeys(Array.prototype)',
      'a[name]`x`',
      'a[0] = a[name]; a[0]()',
      'a[0] = a[name]; a[1 - 1]()',
      'const o = [a[name]]; o[0]()',
      'o.push(a[name]); o[0]()',
      'const [f] = [a[name]]; f.call(a)',
      'const o = { f: a[name] }; const { f } = o; f.call(a)',
      'const f = a[name]; const g = f; a.g = g; a.g()',
      'const g = (f) => f.call(a); g(a[name])',
      'function g(o, ...fs) { o[0] = fs[0]; o[0]() } g(a, 1, a[name])',
      '((f) => f.call(a))(a[name])',
      'const get = () => a[name]; get().call(a)',
      'function get() { return a[name] } a.f = get(); a.f()',
      'class C { constructor(f) { this.f = f } } Object.assign(a, new C(a[name])).f()',
      'Reflect.apply(a[name], a, [])',
      'Function.prototype.call.call(a[name], a)',
      '[0].forEach(a[name], a)',
      'Array.from([0], a[name], a)',
      '(0, a[name]).call(a)',
      'const f = true ? a[name] : null; f.call(a)',
      'Object.defineProperty(a, "x", { get: a[name] })',
      'let f; f ??= a?.[name]; f.bind(a)()',
    ].map((text): [string, string] => [text, 'uses a method with a computed name (line 1)']),
    ['eval("a.sort()")', 'uses eval (line 1)'],
    ['(0, eval)("1")', 'uses eval (line 1)'],
    ['globalThis.eval("1")', 'uses eval (line 1)'],
    ['const g = globalThis; g.eval("1")', 'uses eval (line 1)'],
    ['new Function("return 1")', 'uses Function (line 1)'],
    ['(() => {}).constructor("return 1")', 'uses .constructor (line 1)'],
    ['import("data:text/javascript,1")', 'uses import data:text/javascript (line 1)'],
    ['import(name)', 'uses import with a computed name (line 1)'],
    ["import vm from 'node:vm'", 'uses import vm (line 1)'],
  ])('find %s', (source, broken) => {
    expect(javascript(source, ['Array.sort'])).toContain(broken);
  });

  it.each([
    'const sort = (a) => a; sort([1])',
    '// a.sort()\nconst text = "a.sort()"',
    'const table = { sort: 1 }',
    'rows[i][j] = a[i - 1](x)',
    'const left = a[i]; const node = { value: a[j], next: null }; a[i] = a[j]; a[j] = left; out.push(left)',
    'const { [0]: first, length } = a',
    'const steps = [(x) => x + 1, (x) => 2 * x]; steps[0](steps[1](a[i]))',
    'const counts = {}; counts[word] = (counts[word] ?? 0) + 1; Object.keys(counts).map((key) => [key, counts[key]])',
    '[a[i], a[j]] = [a[j], a[i]]; const [x, y] = [a[i], a[j]]; out.push(x); Math.max(x, y)',
    'const at = (i) => a[i]; function less(x, y) { return x < y } if (less(at(0), a[j])) queue.push(at(1))',
    'function each(list, visit) { for (const one of list) visit(one) } each(a, (one) => seen.add(one)); each(a[i], visit)',
    'Object.prototype.hasOwnProperty.call(counts, a[i]) || Object.is(a[i], 1)',
    'const max = a[i]; Math.max(max, 1); const get = a[j]; map.get(get)',
    'Math.max.apply(null, a)',
    'function f(structuredClone) { return structuredClone(1) }',
  ])('let %s be', (source) => {
    expect(javascript(source, ['Array.sort', 'structuredClone'])).toEqual([]);
  });

  it('find a method that is passed on through more names than anyone follows', () => {
    const names = Array.from({ length: 200 }, (_, index) => `a${index} = a${index + 1};`).join(' ');
    const broken = ['uses a method with a computed name (line 1)'];
    expect(javascript(`${names} a200 = a[name]; a0.call(a)`, ['Array.sort'])).toEqual(broken);
  });

  it('find patterns that are made of texts', () => {
    const broken = ['uses .compile of a pattern (line 1)'];
    expect(javascript('/x/.compile(pattern).test(text)', ['RegExp'])).toEqual(broken);
    expect(javascript('const r = /x/; r.compile(pattern)', ['RegExp'])).toEqual(broken);
    expect(javascript('automaton.compile(pattern)', ['RegExp'])).toEqual([]);
  });

  it('tell a global from what the text defines itself', () => {
    expect(javascript('structuredClone(x)', ['structuredClone'])).toHaveLength(1);
    expect(javascript('{ let structuredClone = 1 } structuredClone(x)', ['structuredClone'])).toHaveLength(1);
    expect(javascript('function structuredClone(x) { return x }\nstructuredClone(x)', ['structuredClone'])).toEqual([]);
  });

  it('tell a namespace from what has a method of the same name', () => {
    expect(javascript('Math.max(1, 2)', ['Math.max'])).toEqual(['uses Math.max (line 1)']);
    expect(javascript('const M = Math; M.max(1)', ['Math.max'])).toEqual(['uses Math.max (line 1)']);
    expect(javascript('const { max } = Math', ['Math.max'])).toEqual(['uses Math.max (line 1)']);
    expect(javascript('heap.max()', ['Math.max'])).toEqual([]);
    expect(javascript("import fs from 'fs/promises'", ['import fs'])).toEqual(['uses import fs (line 1)']);
  });

  it('find what is required where the function uses it', () => {
    const all = ['loop', 'comparison', 'recursion', 'function'];
    expect(javascript('const solve = (n) => n', [], all)).toEqual([
      'has no loop',
      'has no comparison',
      'has no recursion',
    ]);
    expect(javascript('function solve(n) { for (;;) if (n < 1) return solve(n - 1) }', [], all)).toEqual([]);
    const elsewhere = 'function unused() { for (;;); }\nfunction solve(n) { return n }';
    expect(javascript(elsewhere, [], ['loop'])).toEqual(['has no loop']);
    const helper = 'function help(n) { return n ? help(n - 1) : 0 }\nexport function solve(n) { return help(n) }';
    expect(javascript(helper, [], ['recursion'])).toEqual([]);
  });

  it('read TypeScript without its types', () => {
    const { source } = moduleText(
      'export function solve(a: number[]): number[] { return a.sort() as number[]; }',
      'typescript',
    );
    expect(javascript(source, ['Array.sort'])).toEqual(['uses .sort (line 1)']);
  });

  it('read a text as a script and as a module', () => {
    const broken = ['uses .sort (line 1)'];
    expect(javascript('const solve = (a) => a.sort()', ['Array.sort'])).toEqual(broken);
    expect(javascript('export const solve = (a) => a.sort()', ['Array.sort'])).toEqual(broken);
    expect(javascript('with ({}) ; var x = 010; function solve(a) { return a.sort() }', ['Array.sort'])).toEqual(
      broken,
    );
    expect(javascript('return { solve: (a) => a.sort() }', ['Array.sort'])).toEqual(broken);
    const comment = 'var a = 1, b = 1;\na<!--b /*\n; function solve(c) { return c.sort() }\n/* */';
    expect(javascript(comment, ['Array.sort'])).toEqual(['uses .sort (line 3)']);
  });

  it('say that a text cannot be read', () => {
    const unreadable = ['is written so that the parser fails on it'];
    expect(javascript('function (', ['eval'], ['loop'])).toEqual(unreadable);
    expect(javascript(`const junk = ${'('.repeat(50_000)}1${')'.repeat(50_000)}`, ['eval'])).toEqual(unreadable);
  });
});

describePython('rules about Python', () => {
  /** One start of Python for many texts. */
  const batch = (calls: readonly (readonly [source: string, forbid: string[], require: string[]])[]): string[][] => {
    const program = `import sys, json; sys.path.insert(0, ${JSON.stringify(gymAsset('drivers'))}); sys.dont_write_bytecode = True
from python_rules import broken_rules
print(json.dumps([broken_rules(*call, 'solve') for call in json.load(sys.stdin)]))`;
    const run = spawnSync('/usr/bin/env', ['python3', '-c', program], {
      input: JSON.stringify(calls),
      encoding: 'utf8',
    });
    if (run.status !== 0) throw new Error(run.stderr);
    return JSON.parse(run.stdout);
  };
  const python = (source: string, forbidden: string[], require: string[] = []): string[] =>
    batch([[source, forbidden, require]])[0]!;
  const forbid = ['sorted', 'list.sort', 'heapq.merge', 'import os'];

  const forbidden = [
    ['sorted(a)', 'uses sorted (line 1)'],
    ['s = sorted\ns(a)', 'uses sorted (line 1)'],
    ['sorted = sorted', 'uses sorted (line 1)'],
    ['if False:\n    def sorted(a): pass\nsorted(a)', 'uses sorted (line 3)'],
    ['a.sort()', 'uses .sort (line 1)'],
    ['list.sort(a)', 'uses .sort (line 1)'],
    ['[].__class__.sort(a)', 'uses .sort (line 1)'],
    ["getattr(a, 'sort')()", 'uses .sort (line 1)'],
    ["getattr(a, 'so' + 'rt')()", 'uses .sort (line 1)'],
    ['getattr(a, name)()', 'uses getattr with a computed name (line 1)'],
    ['g = getattr', 'uses getattr without calling it (line 1)'],
    ["from operator import methodcaller as m\nm('sort')(a)", 'uses .sort (line 2)'],
    ['import heapq\nheapq.merge(a, b)', 'uses heapq.merge (line 2)'],
    ['import heapq as h\nh.merge(a, b)', 'uses heapq.merge (line 2)'],
    ['import heapq\nx = heapq\nx.merge(a)', 'uses heapq.merge (line 3)'],
    ['from heapq import merge as m', 'uses heapq.merge (line 1)'],
    ['from heapq import *', 'uses heapq.* (line 1)'],
    ["__import__('heapq').merge(a)", 'uses __import__ (line 1)'],
    ["import importlib\nimportlib.import_module('heapq')", 'uses import importlib (line 1)'],
    ["globals()['sorted'](a)", 'uses globals (line 1)'],
    ["__builtins__['sorted'](a)", 'uses __builtins__ (line 1)'],
    ['import builtins\nbuiltins.sorted(a)', 'uses import builtins (line 1)'],
    ["eval('sorted')(a)", 'uses eval (line 1)'],
    ["import sys\nsys.modules['builtins']", 'uses sys.modules (line 2)'],
    ['import os.path', 'uses import os (line 1)'],
    ['from os import path', 'uses import os (line 1)'],
    ['print.__self__.sorted(a)', 'uses .__self__ (line 1)'],
    ["import operator\ng = operator.attrgetter\ng('sort')(a)()", 'uses attrgetter without calling it (line 2)'],
    ["from operator import methodcaller as m\nx = map(m, ['sort'])", 'uses methodcaller without calling it (line 2)'],
    ['match a:\n    case list(sort=s):\n        s()', 'uses .sort (line 2)'],
    ["class P(list):\n    __match_args__ = ('sort',)", 'uses __match_args__ (line 2)'],
    ["import typing\ntyping.sys.modules['builtins'].sorted(a)", 'uses typing.sys (line 2)'],
    ["(lambda m: m.modules)(x)['builtins']", 'uses sys.modules (line 1)'],
    ['from sys import modules as m', 'uses modules (line 1)'],
    ['from textwrap import os as o', 'uses textwrap.os (line 1)'],
    ['import textwrap\ntextwrap.os', 'uses textwrap.os (line 2)'],
    ["import pickle\npickle.loads(b'cbuiltins\\nsorted\\n.')(a)", 'uses import pickle (line 1)'],
    ["import string\nstring.Formatter().get_field('0.sort', [a], {})", 'uses .get_field (line 2)'],
    ["import typing\ntyping.get_type_hints(f)['a']", 'uses .get_type_hints (line 2)'],
    ["import subprocess\nsubprocess.run(['sort'])", 'uses import subprocess (line 1)'],
    [
      'def solve():\n    sorted = 1\n    class A:\n        f = sorted\n        sorted = None\n    return A.f',
      'uses sorted (line 4)',
    ],
    [
      'def solve():\n    sorted = 1\n    def g():\n        global sorted\n        return sorted(a)',
      'uses sorted (line 5)',
    ],
    ['@run\ndef sorted(a):\n    return sorted(a)', 'uses sorted (line 3)'],
    [
      'def sorted(a): pass\ntry: 1 / 0\nexcept Exception as sorted: pass\ndef solve(a):\n    return sorted(a)',
      'uses sorted (line 5)',
    ],
  ] as const;

  it('find what is forbidden however it is written', () => {
    const found = batch(forbidden.map(([source]) => [source, forbid, []]));
    for (const [index, [source, broken]] of forbidden.entries()) expect(found[index], source).toContain(broken);
  });

  const allowed = [
    'def sorted(a):\n    return sorted(a[1:])\nsorted([1])',
    'def solve(sorted):\n    return sorted(1)',
    '# sorted(a)\nx = "a.sort()"',
    'import heapq\nheapq.heappush(a, 1)',
    "def solve(a):\n    return getattr(a, 'value')",
    'class Merge:\n    def merge(self): return 1\nMerge().merge()',
    'class Loader:\n    def __init__(self): self.modules = []\n    def all(self): return self.modules',
    'def solve(sorted):\n    class A:\n        def f(self): return sorted(1)\n    return A',
    'from operator import itemgetter\nkey = itemgetter(1)',
  ];

  it('let be what only looks like it', () => {
    const found = batch(allowed.map((source) => [source, forbid, []]));
    for (const [index, source] of allowed.entries()) expect(found[index], source).toEqual([]);
  });

  it('find what is required where the function uses it', () => {
    const all = ['loop', 'comparison', 'recursion', 'function'];
    expect(python('def solve(n):\n    return n', [], all)).toEqual([
      'has no loop',
      'has no comparison',
      'has no recursion',
    ]);
    expect(python('def solve(n):\n    while n < 1:\n        solve(n)', [], all)).toEqual([]);
    expect(python('def unused():\n    while True: pass\ndef solve(n):\n    return n', [], ['loop'])).toEqual([
      'has no loop',
    ]);
    const mutual =
      'def even(n): return n == 0 or odd(n - 1)\ndef odd(n): return n != 0 and even(n - 1)\ndef solve(n): return even(n)';
    expect(python(mutual, [], ['recursion'])).toEqual([]);
    expect(python('solve = lambda n: [x for x in n]', [], ['loop'])).toEqual([]);
  });

  it('say nothing of a text that does not parse', () => {
    expect(python('def (', forbid, ['loop'])).toEqual([]);
    expect(python('a\u0000b', forbid, ['loop'])).toEqual([]);
  });
});
