import { attribute, filterNamed, testNamed } from './filters.js';
import { GLOBALS } from './globals.js';
import type { CallNode, ForNode, MacroNode, MemberNode, NameNode, Node, SetNode } from './nodes.js';
import { isText, joinText, rawText, sliceCharacters, sliceIndices, type Text } from './text.js';
import {
  Callable,
  compare,
  contains,
  dictKey,
  equal,
  itemsOf,
  JinjaError,
  type Kwargs,
  Namespace,
  number,
  printed,
  toValue,
  truth,
  tuple,
  typeName,
  type Value,
} from './values.js';

interface Scope {
  readonly names: Map<string, Value>;
  readonly parent: Scope | null;
}

const LOOP_END = Symbol('break');
const LOOP_NEXT = Symbol('continue');
type Flow = typeof LOOP_END | typeof LOOP_NEXT | null;

const inner = (parent: Scope): Scope => ({ names: new Map(), parent });

function lookup(scope: Scope, name: string): Value {
  for (let at: Scope | null = scope; at; at = at.parent) {
    if (at.names.has(name)) return at.names.get(name);
  }
  return undefined;
}

/**
 * Evaluates a parsed template as Jinja2 does under transformers. The library's own interpreter is not used because it
 * ignores the arguments of strip(), loses what an iteration wrote before `break`, and cannot tell where text came from.
 */
export function evaluateTemplate(body: readonly Node[], variables: ReadonlyMap<string, Value>): Text {
  const globals: Scope = { names: new Map(GLOBALS), parent: null };
  return render(body, { names: new Map(variables), parent: globals });
}

function render(body: readonly Node[], scope: Scope): Text {
  const out: Text[] = [];
  run(body, scope, out);
  return joinText(out);
}

/** Runs statements, writing to `out`. Gives how a loop around them should go on. */
function run(body: readonly Node[], scope: Scope, out: Text[]): Flow {
  for (const node of body) {
    const flow = statement(node, scope, out);
    if (flow) return flow;
  }
  return null;
}

function statement(node: Node, scope: Scope, out: Text[]): Flow {
  switch (node.type) {
    case 'Comment':
      return null;
    case 'If':
      return run(truth(evaluate(node.test, scope)) ? node.body : node.alternate, scope, out);
    case 'For':
      return loop(node, scope, out);
    case 'Set':
      assign(node, scope);
      return null;
    case 'Macro':
      scope.names.set(node.name.value, macro(node.args, node.body, scope));
      return null;
    case 'CallStatement': {
      const [args, kwargs] = argumentsOf(node.call.args, scope);
      kwargs.set('caller', macro(node.callerArgs ?? [], node.body, scope));
      out.push(printed(call(evaluate(node.call.callee, scope), args, kwargs, node.call)));
      return null;
    }
    case 'FilterStatement':
      out.push(printed(filter(node.filter, render(node.body, inner(scope)), scope)));
      return null;
    case 'Break':
      return LOOP_END;
    case 'Continue':
      return LOOP_NEXT;
    default:
      out.push(printed(evaluate(node, scope)));
      return null;
  }
}

function loop(node: ForNode, scope: Scope, out: Text[]): Flow {
  const { iterable } = node;
  const select = iterable.type === 'SelectExpression' ? iterable : null;
  let items = itemsOf(evaluate(select ? select.lhs : iterable, scope));
  if (select) {
    items = items.filter((item) => {
      const own = inner(scope);
      unpack(node.loopvar, item, own);
      return truth(evaluate(select.test, own));
    });
  }
  if (items.length === 0) return run(node.defaultBlock, scope, out);
  const depth = Number(
    lookup(scope, 'loop') instanceof Map ? (lookup(scope, 'loop') as Map<string, Value>).get('depth') : 0,
  );
  let changedFrom: readonly Value[] | null = null;
  for (let i = 0; i < items.length; i++) {
    const own = inner(scope);
    unpack(node.loopvar, items[i], own);
    own.names.set(
      'loop',
      new Map<string, Value>([
        ['index', i + 1],
        ['index0', i],
        ['revindex', items.length - i],
        ['revindex0', items.length - i - 1],
        ['first', i === 0],
        ['last', i === items.length - 1],
        ['length', items.length],
        ['previtem', i > 0 ? items[i - 1] : undefined],
        ['nextitem', items[i + 1]],
        ['depth', depth + 1],
        ['depth0', depth],
        ['cycle', new Callable((values) => values[i % values.length])],
        [
          'changed',
          new Callable((values) => {
            const changed = changedFrom === null || !equal([...values], [...changedFrom]);
            changedFrom = values;
            return changed;
          }),
        ],
      ]),
    );
    try {
      if (run(node.body, own, out) === LOOP_END) break;
    } catch (error) {
      if (error instanceof JinjaError) error.loopItems.push(items[i]);
      throw error;
    }
  }
  return null;
}

function unpack(target: Node, value: Value, scope: Scope): void {
  if (target.type === 'Identifier') {
    scope.names.set(target.value, value);
  } else if (target.type === 'TupleLiteral') {
    const values = itemsOf(value);
    if (values.length !== target.value.length) {
      throw new JinjaError(`${values.length} values cannot be unpacked into ${target.value.length} names`);
    }
    target.value.forEach((name, i) => {
      unpack(name, values[i], scope);
    });
  } else {
    throw new JinjaError('only names can be assigned to');
  }
}

function assign({ assignee, value, body }: SetNode, scope: Scope): void {
  const assigned = value ? evaluate(value, scope) : render(body, inner(scope));
  if (assignee.type !== 'MemberExpression') {
    unpack(assignee, assigned, scope);
    return;
  }
  const holder = evaluate(assignee.object, scope);
  if (!(holder instanceof Namespace)) throw new JinjaError('only attributes of a namespace() can be set');
  holder.values.set(String((assignee.property as NameNode).value), assigned);
}

function macro(parameters: MacroNode['args'], body: readonly Node[], scope: Scope): Callable {
  return new Callable((args, kwargs) => {
    const own = inner(scope);
    const rest = new Map(kwargs);
    parameters.forEach((parameter, i) => {
      const key = parameter.type === 'Identifier' ? parameter.value : parameter.key.value;
      let value = i < args.length ? args[i] : rest.get(key);
      rest.delete(key);
      if (value === undefined && i >= args.length && parameter.type === 'KeywordArgumentExpression') {
        value = evaluate(parameter.value, own);
      }
      own.names.set(key, value);
    });
    if (rest.has('caller')) own.names.set('caller', rest.get('caller'));
    rest.delete('caller');
    own.names.set('varargs', args.slice(parameters.length));
    own.names.set('kwargs', rest);
    return render(body, own);
  });
}

function evaluate(node: Node, scope: Scope): Value {
  switch (node.type) {
    case 'StringLiteral':
    case 'IntegerLiteral':
    case 'FloatLiteral':
      return node.value;
    case 'ArrayLiteral':
      return node.value.map((item) => evaluate(item, scope));
    case 'TupleLiteral':
      return tuple(...node.value.map((item) => evaluate(item, scope)));
    case 'ObjectLiteral':
      return new Map(Array.from(node.value, ([key, value]) => [dictKey(evaluate(key, scope)), evaluate(value, scope)]));
    case 'Identifier':
      return constant(node.value, scope);
    case 'MemberExpression':
      return member(node, scope);
    case 'CallExpression': {
      const callee = evaluate(node.callee, scope);
      return call(callee, ...argumentsOf(node.args, scope), node);
    }
    case 'FilterExpression':
      return filter(node.filter, evaluate(node.operand, scope), scope);
    case 'TestExpression':
      return testNamed(node.test.value)(evaluate(node.operand, scope), []) !== node.negate;
    case 'UnaryExpression':
      return unary(node.operator.value, evaluate(node.argument, scope));
    case 'BinaryExpression':
      return binary(node.operator.value, node.left, node.right, scope);
    case 'Ternary':
      return evaluate(truth(evaluate(node.condition, scope)) ? node.trueExpr : node.falseExpr, scope);
    // Outside of loops the parser gives `a if b` without else this shape.
    case 'SelectExpression':
      return truth(evaluate(node.test, scope)) ? evaluate(node.lhs, scope) : undefined;
    default:
      throw new JinjaError(`${node.type} cannot stand in an expression`);
  }
}

const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);

const constant = (name: string, scope: Scope): Value =>
  CONSTANTS.has(name) ? CONSTANTS.get(name) : lookup(scope, name);

function member(node: MemberNode, scope: Scope): Value {
  const object = evaluate(node.object, scope);
  if (!node.computed) {
    const { property } = node;
    if (property.type === 'IntegerLiteral') return item(object, property.value);
    const name = String((property as NameNode).value);
    if (object === undefined) throw new JinjaError(`${describe(node.object)} is undefined`, `.${name}`);
    return attribute(object, name);
  }
  if (object === undefined) throw new JinjaError(`${describe(node.object)} is undefined`);
  if (node.property.type === 'SliceExpression') {
    const bound = (part: Node | undefined): number | null => {
      const value = part ? evaluate(part, scope) : null;
      return typeof value === 'number' ? value : null;
    };
    const { start, stop, step } = node.property;
    return slice(object, bound(start), bound(stop), bound(step) ?? 1);
  }
  return item(object, evaluate(node.property, scope));
}

/** `value[key]`: an entry first, an attribute if there is none. */
function item(value: Value, key: Value): Value {
  if (value instanceof Map && value.has(dictKey(key))) return value.get(dictKey(key));
  if (typeof key === 'number') {
    if (Array.isArray(value)) return value.at(key);
    if (!isText(value)) return undefined;
    const character = sliceCharacters(value, key, key === -1 ? null : key + 1, 1);
    return rawText(character) === '' ? undefined : character;
  }
  return isText(key) && value !== undefined ? attribute(value, rawText(key)) : undefined;
}

function slice(value: Value, start: number | null, stop: number | null, step: number): Value {
  if (isText(value)) return sliceCharacters(value, start, stop, step);
  const items = itemsOf(value);
  return sliceIndices(items.length, start, stop, step).map((index) => items[index]);
}

const describe = (node: Node): string => {
  if (node.type === 'Identifier') return `'${node.value}'`;
  if (node.type !== 'MemberExpression') return 'a value';
  const { property } = node;
  return 'value' in property && !(property.value instanceof Map) ? `'${property.value}'` : 'an item';
};

function call(callee: Value, args: readonly Value[], kwargs: Kwargs, node: CallNode): Value {
  if (callee instanceof Callable) return callee.call(args, kwargs);
  const name = node.callee.type === 'Identifier' ? node.callee.value : null;
  const property = node.callee.type === 'MemberExpression' ? node.callee.property : null;
  const shown = name ?? (property?.type === 'Identifier' ? property.value : null);
  throw new JinjaError(
    callee === undefined ? `there is no function ${shown ?? ''}()` : `${typeName(callee)} cannot be called`,
    shown === null ? null : `${shown}(`,
  );
}

function argumentsOf(nodes: readonly Node[], scope: Scope): [Value[], Map<string, Value>] {
  const args: Value[] = [];
  const kwargs = new Map<string, Value>();
  for (const node of nodes) {
    if (node.type === 'KeywordArgumentExpression') kwargs.set(node.key.value, evaluate(node.value, scope));
    else if (node.type === 'SpreadExpression') args.push(...itemsOf(evaluate(node.argument, scope)));
    else if (node.type === 'KeywordSpreadExpression') {
      const entries = evaluate(node.argument, scope);
      if (entries instanceof Map) for (const [key, value] of entries) kwargs.set(String(key), value);
    } else args.push(evaluate(node, scope));
  }
  return [args, kwargs];
}

function filter(node: NameNode | CallNode, value: Value, scope: Scope): Value {
  if (node.type === 'Identifier') return filterNamed(node.value)(value, [], new Map());
  return filterNamed((node.callee as NameNode).value)(value, ...argumentsOf(node.args, scope));
}

function unary(operator: string, value: Value): Value {
  if (operator === 'not') return !truth(value);
  return operator === '-' ? -number(value, operator) : number(value, operator);
}

function binary(operator: string, leftNode: Node, rightNode: Node, scope: Scope): Value {
  const left = evaluate(leftNode, scope);
  if (operator === 'and') return truth(left) ? evaluate(rightNode, scope) : left;
  if (operator === 'or') return truth(left) ? left : evaluate(rightNode, scope);
  const right = evaluate(rightNode, scope);
  switch (operator) {
    case '==':
      return equal(left, right);
    case '!=':
      return !equal(left, right);
    case 'in':
      return contains(right, left);
    case 'not in':
      return !contains(right, left);
    case '<':
      return compare(left, right) < 0;
    case '<=':
      return compare(left, right) <= 0;
    case '>':
      return compare(left, right) > 0;
    case '>=':
      return compare(left, right) >= 0;
    case '~':
      return joinText([printed(left), printed(right)]);
    case '+':
      return add(left, right);
    case '*':
      if (isText(left)) return joinText(new Array<Text>(Math.max(0, number(right, '*'))).fill(left));
      return number(left, '*') * number(right, '*');
    case '%':
      if (isText(left)) return percent(left, Array.isArray(right) ? right : [right]);
      return modulo(number(left, '%'), number(right, '%'));
    case '-':
      return number(left, '-') - number(right, '-');
    case '/':
      return number(left, '/') / number(right, '/');
    case '//':
      return Math.floor(number(left, '//') / number(right, '//'));
    case '**':
      return number(left, '**') ** number(right, '**');
    default:
      throw new JinjaError(`there is no operator '${operator}'`);
  }
}

function add(left: Value, right: Value): Value {
  if (isText(left) && isText(right)) return joinText([left, right]);
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  if (isText(left) || isText(right) || Array.isArray(left) || Array.isArray(right)) {
    throw new JinjaError(`'+' cannot join ${typeName(left)} and ${typeName(right)}`);
  }
  return number(left, '+') + number(right, '+');
}

// Python's remainder has the sign of the divisor.
const modulo = (a: number, b: number): number => a - b * Math.floor(a / b);

/** `'%s and %d' % values`. */
function percent(format: Text, values: readonly Value[]): Text {
  const parts: Text[] = [];
  let next = 0;
  let done = 0;
  const raw = rawText(format);
  for (const match of raw.matchAll(/%(?:\.(\d+))?([%sdrf])/g)) {
    parts.push(raw.slice(done, match.index));
    done = match.index + match[0].length;
    if (match[2] === '%') parts.push('%');
    else if (match[2] === 'f') parts.push(Number(values[next++]).toFixed(Number(match[1] ?? 6)));
    else parts.push(printed(values[next++]));
  }
  return joinText([...parts, raw.slice(done)]);
}

export const templateVariables = (variables: Readonly<Record<string, unknown>>): Map<string, Value> =>
  new Map(Object.entries(variables).map(([name, value]) => [name, toValue(value)]));
