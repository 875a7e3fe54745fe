import type { AnyNode, MemberExpression } from 'acorn';

/** The text of an expression of literals: `'so' + 'rt'`. null for anything else. */
export function constantText(node: AnyNode): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    const [left, right] = [constantText(node.left as AnyNode), constantText(node.right)];
    return left === null || right === null ? null : left + right;
  }
  if (node.type === 'TemplateLiteral') {
    const parts = node.quasis.map((quasi, index) => {
      const between = node.expressions[index];
      const inserted = between === undefined ? '' : constantText(between);
      return inserted === null ? null : (quasi.value.cooked ?? '') + inserted;
    });
    return parts.includes(null) ? null : parts.join('');
  }
  return null;
}

/** null where it is computed. */
export const keyName = (key: AnyNode, computed: boolean): string | null =>
  !computed && key.type === 'Identifier' ? key.name : constantText(key);

export const propertyOf = (node: MemberExpression): string | null => keyName(node.property, node.computed);

/** A number, such as a place in an array, is no method's name. */
export const namesNoMethod = (node: AnyNode): boolean =>
  (node.type === 'Literal' && typeof node.value === 'number') ||
  (node.type === 'BinaryExpression' && node.operator !== '+') ||
  node.type === 'UpdateExpression';
