import { type AnyNode, type Expression, type Identifier, type Pattern, type Program, parse } from 'acorn';
import { ancestor, full } from 'acorn-walk';
import type { SourceRules } from '../environment/types.js';
import { hiddenMethodCalls } from './javascript-hidden-methods.js';
import { constantText, keyName, propertyOf } from './javascript-names.js';
import { scopesOf } from './javascript-scopes.js';

/** Objects that are never instances: `Math.max` is a rule about `Math` alone, `Array.sort` one about anything with `.sort`. */
const namespaces = new Set([
  'Math',
  'JSON',
  'Object',
  'Reflect',
  'Number',
  'BigInt',
  'Symbol',
  'Intl',
  'console',
  'process',
]);
const globalObjects = new Set(['globalThis', 'global', 'window', 'self']);
/** Ways to reach a thing without writing its name. Where something is forbidden, so are these. */
const hidingNames = ['eval', 'Function'];
const hidingModules = ['vm', 'module', 'inspector', 'worker_threads', 'child_process'];

/**
 * What a JavaScript text that ran breaks of the rules. It is read in both ways in which it may have been loaded: as a script (`with`,
 * `010`, comments that begin with `<!--`) and as a module, for what is a comment in one can be code in the other.
 */
export function brokenInJavaScript(source: string, rules: SourceRules, functionName: string): readonly string[] {
  try {
    const programs = (['script', 'module'] as const).flatMap((sourceType) => readAs(sourceType, source));
    if (programs.length === 0) return unreadable;
    const broken = programs.flatMap((program) => [
      ...(rules.forbid.length === 0 ? [] : forbiddenIn(program, rules.forbid)),
      ...(rules.require.length === 0 ? [] : missingIn(program, rules.require, functionName)),
    ]);
    return [...new Set(broken)];
  } catch (error) {
    // nested deeper than the stack
    if (error instanceof RangeError) return unreadable;
    throw error;
  }
}

const unreadable = ['is written so that the parser fails on it'];

function readAs(sourceType: 'script' | 'module', source: string): Program[] {
  try {
    const script = { allowReturnOutsideFunction: true };
    return [
      parse(source, {
        ecmaVersion: 'latest',
        sourceType,
        locations: true,
        ...(sourceType === 'script' ? script : {}),
      }),
    ];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function forbiddenIn(program: Program, forbid: readonly string[]): readonly string[] {
  const names = new Set(hidingNames);
  const methods = new Set<string>();
  const members = new Map<string, Set<string>>();
  const modules = new Set(hidingModules);
  for (const rule of forbid) {
    const [, module] = /^import\s+(?:node:)?(.+)$/.exec(rule) ?? [];
    const dot = rule.lastIndexOf('.');
    if (module !== undefined) modules.add(module.trim());
    else if (dot < 0) names.add(rule);
    else {
      const [owner, member] = [rule.slice(0, dot).replace(/\.prototype$/, ''), rule.slice(dot + 1)];
      if (namespaces.has(owner)) members.set(owner, (members.get(owner) ?? new Set()).add(member));
      else methods.add(member);
    }
  }

  const found = new Map<string, number>();
  const report = (what: string, node: AnyNode) => {
    if (!found.has(what)) found.set(what, node.loc?.start.line ?? 0);
  };
  const { isGlobal } = scopesOf(program);
  let makesPatterns = false;
  /** What a name stands for: `const M = Math` makes `M` Math. */
  const aliases = new Map<string, string>();
  const objectName = (node: AnyNode, ancestors: readonly AnyNode[]): string | null => {
    if (node.type === 'Identifier')
      return aliases.get(node.name) ?? (isGlobal(node.name, ancestors) ? node.name : null);
    if (node.type === 'MemberExpression') {
      const owner = objectName(node.object, ancestors);
      return owner !== null && globalObjects.has(owner) ? propertyOf(node) : null;
    }
    return null;
  };
  const access = (owner: string | null, name: string | null, node: AnyNode) => {
    if (name === null) {
      if (owner !== null && globalObjects.has(owner)) report(`${owner} with a computed name`, node);
      if (owner !== null && members.has(owner)) report(`${owner} with a computed name`, node);
      return;
    }
    if (methods.has(name)) report(`.${name}`, node);
    if (name === 'compile' && names.has('RegExp') && makesPatterns) report('.compile of a pattern', node);
    if (name === 'constructor') report('.constructor', node);
    if (owner === null) return;
    if (members.get(owner)?.has(name)) report(`${owner}.${name}`, node);
    if (globalObjects.has(owner) && names.has(name)) report(name, node);
  };
  const imported = (text: string | null, node: AnyNode) => {
    if (text === null) return report('import with a computed name', node);
    const module = text.replace(/^node:/, '');
    if (/^(data|https?|file|blob):/.test(text)) report(`import ${text.slice(0, 20)}`, node);
    for (const name of modules) if (module === name || module.startsWith(`${name}/`)) report(`import ${name}`, node);
  };

  ancestor(program, {
    Literal(node) {
      if (node.regex !== undefined && node.regex !== null) makesPatterns = true;
    },
    VariableDeclarator(node, _state, ancestors) {
      if (node.id.type !== 'Identifier' || !node.init) return;
      const name = objectName(node.init, ancestors as AnyNode[]);
      if (name !== null && (namespaces.has(name) || globalObjects.has(name))) aliases.set(node.id.name, name);
    },
  });
  ancestor(program, {
    Identifier(node, _state, ancestors) {
      const identifier = node as Identifier;
      if (names.has(identifier.name) && isGlobal(identifier.name, ancestors as AnyNode[]))
        report(identifier.name, node);
    },
    MemberExpression(node, _state, ancestors) {
      access(objectName(node.object, ancestors as AnyNode[]), propertyOf(node), node);
    },
    CallExpression(node, _state, ancestors) {
      const { callee } = node;
      if (callee.type === 'Identifier' && callee.name === 'require' && isGlobal('require', ancestors as AnyNode[])) {
        imported(node.arguments[0] === undefined ? null : constantText(node.arguments[0]), node);
      }
      const [owner, method] =
        callee.type === 'MemberExpression'
          ? [objectName(callee.object, ancestors as AnyNode[]), propertyOf(callee)]
          : [null, null];
      const byName = owner === 'Reflect' || (owner === 'Object' && /^getOwnPropertyDescriptor/.test(method ?? ''));
      const [target, key] = node.arguments;
      if (byName && target !== undefined && key !== undefined) {
        access(objectName(target, ancestors as AnyNode[]), constantText(key), node);
        if (constantText(key) === null && method === 'get') report('Reflect.get with a computed name', node);
      }
    },
    ObjectPattern(node, _state, ancestors) {
      const owner = patternSource(node, ancestors as AnyNode[]);
      const ownerName = owner === null ? null : objectName(owner, ancestors as AnyNode[]);
      for (const property of node.properties) {
        if (property.type !== 'Property') continue;
        const name = keyName(property.key, property.computed);
        access(ownerName, name, property);
      }
    },
    ImportDeclaration: (node) => imported(constantText(node.source), node),
    ImportExpression: (node) => imported(constantText(node.source), node),
    ExportNamedDeclaration: (node) => (node.source ? imported(constantText(node.source), node) : undefined),
    ExportAllDeclaration: (node) => imported(constantText(node.source), node),
  });
  if (methods.size > 0) for (const node of hiddenMethodCalls(program)) report('a method with a computed name', node);
  return [...found].map(([what, line]) => `uses ${what} (line ${line})`);
}

/** What `const {a} = …` takes apart. */
function patternSource(pattern: Pattern, ancestors: readonly AnyNode[]): Expression | null {
  const parent = ancestors.at(-2);
  if (parent?.type === 'VariableDeclarator' && parent.id === pattern) return parent.init ?? null;
  if (parent?.type === 'AssignmentExpression' && parent.left === pattern) return parent.right;
  return null;
}

const loops = new Set(['ForStatement', 'ForInStatement', 'ForOfStatement', 'WhileStatement', 'DoWhileStatement']);
const loopMethods = new Set([
  'map',
  'filter',
  'reduce',
  'forEach',
  'some',
  'every',
  'find',
  'findIndex',
  'flatMap',
  'reduceRight',
]);
const comparisons = new Set(['<', '<=', '>', '>=', '==', '===', '!=', '!==']);

function missingIn(program: Program, require: readonly string[], functionName: string): readonly string[] {
  const defined = new Map<string, AnyNode[]>();
  const define = (name: string, node: AnyNode) => defined.set(name, [...(defined.get(name) ?? []), node]);
  full(program, (plain) => {
    const node = plain as AnyNode;
    if (node.type === 'FunctionDeclaration' && node.id) define(node.id.name, node);
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && isFunction(node.init)) {
      define(node.id.name, node.init);
    }
    if (node.type === 'MethodDefinition' && node.key.type === 'Identifier') define(node.key.name, node.value);
    if (node.type === 'Property' && node.key.type === 'Identifier' && isFunction(node.value))
      define(node.key.name, node.value);
  });
  const uses = new Map([...defined].map(([name, nodes]) => [name, namesIn(nodes).filter((used) => defined.has(used))]));
  const reached = new Set([...(defined.has(functionName) ? [functionName] : []), ...reachable(functionName, uses)]);
  const roots = [...reached].flatMap((name) => defined.get(name)!);
  const present = { loop: false, comparison: false, function: defined.size > 0, recursion: false };
  // A function that is made in a way this does not see: everything counts.
  for (const root of roots.length > 0 ? roots : [program]) {
    full(root, (plain) => {
      const node = plain as AnyNode;
      if (loops.has(node.type)) present.loop = true;
      if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
        if (loopMethods.has(propertyOf(node.callee) ?? '')) present.loop = true;
      }
      if (node.type === 'BinaryExpression' && comparisons.has(node.operator)) present.comparison = true;
    });
  }
  present.recursion = [...(reached.size > 0 ? reached : defined.keys())].some((name) =>
    reachable(name, uses).has(name),
  );
  return require.filter((what) => present[what as keyof typeof present] !== true).map((what) => `has no ${what}`);
}

const isFunction = (node: AnyNode | null | undefined): node is AnyNode =>
  node?.type === 'FunctionExpression' || node?.type === 'ArrowFunctionExpression';

function namesIn(nodes: readonly AnyNode[]): string[] {
  const names = new Set<string>();
  for (const root of nodes) {
    full(root, (plain) => {
      const node = plain as AnyNode;
      if (node.type === 'Identifier') names.add(node.name);
      if (node.type === 'MemberExpression') {
        const name = propertyOf(node);
        if (name !== null) names.add(name);
      }
    });
  }
  return [...names];
}

function reachable(name: string, uses: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>();
  const pending = [...(uses.get(name) ?? [])];
  for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
    if (found.has(one)) continue;
    found.add(one);
    pending.push(...(uses.get(one) ?? []));
  }
  return found;
}
