import type {
  AnyNode,
  ArrowFunctionExpression,
  FunctionDeclaration,
  FunctionExpression,
  Pattern,
  Program,
} from 'acorn';
import { ancestor } from 'acorn-walk';

/** Which names the parts of a text bind. */
export function scopesOf(program: Program) {
  const bound = new Map<AnyNode, Set<string>>();
  const bind = (scope: AnyNode | undefined, name: string) => {
    if (scope === undefined) return;
    const names = bound.get(scope) ?? new Set();
    bound.set(scope, names.add(name));
  };
  const around = (ancestors: readonly AnyNode[], isScope: (node: AnyNode) => boolean) =>
    // The last of the ancestors is the node itself.
    ancestors.slice(0, -1).findLast(isScope);

  ancestor(program, {
    VariableDeclaration(node, _state, ancestors) {
      const scope = around(ancestors as AnyNode[], node.kind === 'var' ? isFunctionScope : isBlockScope);
      for (const { id } of node.declarations) for (const name of namesOf(id)) bind(scope, name);
    },
    FunctionDeclaration(node, _state, ancestors) {
      if (node.id) bind(around(ancestors as AnyNode[], isBlockScope), node.id.name);
    },
    ClassDeclaration(node, _state, ancestors) {
      if (node.id) bind(around(ancestors as AnyNode[], isBlockScope), node.id.name);
    },
    ImportDeclaration(node) {
      for (const { local } of node.specifiers) bind(program, local.name);
    },
    CatchClause(node) {
      for (const name of node.param ? namesOf(node.param) : []) bind(node, name);
    },
    Function(plain) {
      const node = plain as FunctionDeclaration | FunctionExpression | ArrowFunctionExpression;
      for (const param of node.params) for (const name of namesOf(param)) bind(node, name);
      if (node.type === 'FunctionExpression' && node.id) bind(node, node.id.name);
    },
  });
  return {
    /** Whether a name means the global thing at the end of these ancestors. */
    isGlobal: (name: string, ancestors: readonly AnyNode[]): boolean =>
      !ancestors.some((node) => bound.get(node)?.has(name) === true),
  };
}

const isFunctionScope = (node: AnyNode): boolean =>
  node.type === 'Program' ||
  node.type === 'FunctionDeclaration' ||
  node.type === 'FunctionExpression' ||
  node.type === 'ArrowFunctionExpression' ||
  node.type === 'StaticBlock';

const isBlockScope = (node: AnyNode): boolean =>
  isFunctionScope(node) ||
  node.type === 'BlockStatement' ||
  node.type === 'ForStatement' ||
  node.type === 'ForInStatement' ||
  node.type === 'ForOfStatement' ||
  node.type === 'SwitchStatement';

function namesOf(pattern: Pattern): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        namesOf(property.type === 'Property' ? property.value : property.argument),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : namesOf(element)));
    case 'RestElement':
      return namesOf(pattern.argument);
    case 'AssignmentPattern':
      return namesOf(pattern.left);
    default:
      return [];
  }
}
