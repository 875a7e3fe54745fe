import type { AnyNode, ArrowFunctionExpression, FunctionDeclaration, FunctionExpression, Program } from 'acorn';
import { ancestor, full } from 'acorn-walk';
import { keyName, namesNoMethod, propertyOf } from './javascript-names.js';

type FunctionNode = FunctionDeclaration | FunctionExpression | ArrowFunctionExpression;

/** What lists members by their names, or defines them. */
const listing = [
  'getOwnPropertyDescriptor',
  'getOwnPropertyDescriptors',
  'getOwnPropertyNames',
  'ownKeys',
  'defineProperty',
  'defineProperties',
  '__defineGetter__',
];
/** What calls a function that was taken out of its object. */
const callers = ['call', 'apply', 'bind'];
/** What calls its first argument on its second. */
const callingBack = [
  'forEach',
  'map',
  'filter',
  'some',
  'every',
  'find',
  'findIndex',
  'findLast',
  'findLastIndex',
  'flatMap',
];

/**
 * Where a text may call a method under a name that is made elsewhere: `a[name]()`, and what such a member becomes when it is put into
 * variables, members, arrays, arguments and results first. Names are followed, not values: a variable is one wherever it stands, and so are
 * the members of one name, and all places of all arrays. Reading `a[name]` is no call, and free.
 * @returns the whole program where following them takes longer than any text that is meant to be read
 */
export function hiddenMethodCalls(program: Program): readonly AnyNode[] {
  const nodes: AnyNode[] = [];
  full(program, (node) => {
    nodes.push(node as AnyNode);
  });
  const taken = follow(nodes, functionsIn(program, nodes));
  return taken === null ? [program] : nodes.filter((node) => calls(node, taken));
}

/** What may hold a method that was taken out of its object. */
interface Taken {
  readonly variables: Set<string>;
  readonly members: Set<string>;
  /** Functions that return one. */
  readonly results: Set<string>;
  /** Whether some place of some array does. */
  elements: boolean;
}

function mayHold(node: AnyNode | null | undefined, taken: Taken): boolean {
  switch (node?.type) {
    case 'MemberExpression': {
      const name = propertyOf(node);
      if (name !== null) return taken.members.has(name);
      return namesNoMethod(node.property) ? taken.elements : true;
    }
    case 'Identifier':
      return taken.variables.has(node.name);
    case 'ChainExpression':
      return mayHold(node.expression, taken);
    case 'ConditionalExpression':
      return mayHold(node.consequent, taken) || mayHold(node.alternate, taken);
    case 'LogicalExpression':
      return mayHold(node.left, taken) || mayHold(node.right, taken);
    case 'SequenceExpression':
      return mayHold(node.expressions.at(-1), taken);
    case 'AssignmentExpression':
      return mayHold(node.right, taken);
    case 'CallExpression':
      return taken.results.has(calledName(node.callee) ?? '');
    default:
      return false;
  }
}

function calls(node: AnyNode, taken: Taken): boolean {
  if (node.type === 'TaggedTemplateExpression') return node.tag.type === 'MemberExpression' && mayHold(node.tag, taken);
  if (node.type === 'ObjectPattern') {
    return node.properties.some(
      (one) => one.type === 'Property' && keyName(one.key, one.computed) === null && !namesNoMethod(one.key),
    );
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
  const { callee } = node;
  if (mayHold(callee, taken)) return true;
  const name = propertyOf(callee) ?? '';
  const [first, second] = node.arguments;
  if (listing.includes(name)) return true;
  if (callers.includes(name)) return mayHold(callee.object, taken) || mayHold(first, taken);
  if (callingBack.includes(name)) return second !== undefined && mayHold(first, taken);
  return name === 'from' && node.arguments.length > 2 && mayHold(second, taken);
}

/** Each round follows every name one step further; texts that are meant to be read take a few. */
const mostRounds = 50;

/** Goes through the text until nothing more is found. null where there is no end in sight. */
function follow(nodes: readonly AnyNode[], functions: readonly NamedFunction[]): Taken | null {
  const taken: Taken = { variables: new Set(), members: new Set(), results: new Set(), elements: false };
  /** The places of the arguments that are passed on, by the function's name, or by itself where it is called on the spot. */
  const passed = new Map<string | AnyNode, Set<number>>();
  const put = (target: AnyNode, holds: boolean) => {
    if (target.type === 'ArrayPattern') {
      for (const one of target.elements) if (one !== null) put(one, taken.elements);
    } else if (target.type === 'ObjectPattern') {
      for (const one of target.properties) {
        if (one.type === 'Property') put(one.value, taken.members.has(keyName(one.key, one.computed) ?? ''));
      }
    } else if (target.type === 'AssignmentPattern') put(target.left, holds || mayHold(target.right, taken));
    else if (holds && target.type === 'RestElement') taken.elements = true;
    else if (holds && target.type === 'Identifier') taken.variables.add(target.name);
    else if (holds && target.type === 'MemberExpression') putMember(propertyOf(target));
  };
  const putMember = (name: string | null) => {
    if (name === null) taken.elements = true;
    else taken.members.add(name);
  };
  const pass = (callee: AnyNode, given: readonly AnyNode[]) => {
    const called = isFunction(callee) ? callee : calledName(callee);
    if (called === null) return;
    for (const [index, argument] of given.entries()) {
      if (!mayHold(argument, taken)) continue;
      const places = passed.get(called) ?? new Set();
      passed.set(called, places.add(index));
      // A method that is none of the text's, such as `push`, may keep it.
      if (callee.type === 'MemberExpression') taken.elements = true;
    }
  };
  const step = (node: AnyNode) => {
    switch (node.type) {
      case 'AssignmentExpression':
        return put(node.left, mayHold(node.right, taken));
      case 'VariableDeclarator':
        return put(node.id, mayHold(node.init, taken));
      case 'Property':
      case 'PropertyDefinition':
        if (mayHold(node.value, taken)) putMember(keyName(node.key, node.computed));
        return;
      case 'ArrayExpression':
        if (node.elements.some((one) => mayHold(one, taken))) taken.elements = true;
        return;
      case 'CallExpression':
      case 'NewExpression':
        return pass(node.callee, node.arguments);
    }
  };
  const enter = ({ name, made, results }: NamedFunction) => {
    const places = [...(passed.get(name) ?? []), ...(passed.get(made) ?? [])];
    for (const [index, parameter] of made.params.entries()) {
      const isRest = parameter.type === 'RestElement';
      put(parameter, isRest ? places.some((place) => place >= index) : places.includes(index));
    }
    if (results.some((result) => mayHold(result, taken))) taken.results.add(name);
  };
  const found = () =>
    taken.variables.size +
    taken.members.size +
    taken.results.size +
    Number(taken.elements) +
    [...passed.values()].reduce((sum, places) => sum + places.size, 0);
  for (let round = 0; round < mostRounds; round++) {
    const before = found();
    for (const node of nodes) step(node);
    for (const one of functions) enter(one);
    if (found() === before) return taken;
  }
  return null;
}

const isFunction = (node: AnyNode | null | undefined): node is FunctionNode =>
  node?.type === 'FunctionExpression' ||
  node?.type === 'ArrowFunctionExpression' ||
  node?.type === 'FunctionDeclaration';

/** `f` of `f(x)` and of `a.f(x)`. */
function calledName(callee: AnyNode): string | null {
  if (callee.type === 'Identifier') return callee.name;
  return callee.type === 'MemberExpression' ? propertyOf(callee) : null;
}

/** A function under a name that it may be called by; a constructor's is its class's, and of what has no name it is empty. */
interface NamedFunction {
  readonly name: string;
  readonly made: FunctionNode;
  /** What it may return. */
  readonly results: readonly AnyNode[];
}

function functionsIn(program: Program, nodes: readonly AnyNode[]): readonly NamedFunction[] {
  const results = new Map<AnyNode, AnyNode[]>();
  ancestor(program, {
    ReturnStatement(node, _state, ancestors) {
      const around = (ancestors as AnyNode[]).findLast(isFunction);
      if (around === undefined || !node.argument) return;
      const known = results.get(around);
      if (known === undefined) results.set(around, [node.argument]);
      else known.push(node.argument);
    },
  });
  const named: NamedFunction[] = [];
  const define = (name: string | null | undefined, made: AnyNode | null | undefined) => {
    if (!isFunction(made)) return;
    const own = made.body.type === 'BlockStatement' ? (results.get(made) ?? []) : [made.body];
    named.push({ name: name ?? '', made, results: own });
  };
  for (const node of nodes) {
    switch (node.type) {
      case 'FunctionDeclaration':
      case 'FunctionExpression':
        define(node.id?.name, node);
        break;
      case 'ArrowFunctionExpression':
        define(null, node);
        break;
      case 'VariableDeclarator':
        define(calledName(node.id), node.init);
        break;
      case 'AssignmentExpression':
        define(calledName(node.left), node.right);
        break;
      case 'Property':
      case 'PropertyDefinition':
      case 'MethodDefinition':
        define(keyName(node.key, node.computed), node.value);
        break;
      case 'ClassDeclaration':
      case 'ClassExpression': {
        const made = node.body.body.find((one) => one.type === 'MethodDefinition' && one.kind === 'constructor');
        if (made?.type === 'MethodDefinition') define(node.id?.name, made.value);
      }
    }
  }
  return named;
}
