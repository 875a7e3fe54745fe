import { type AnyNode, parse } from 'acorn';
import { full } from 'acorn-walk';
import { type Edit, operatorSwaps } from './edit.js';

/** Places of a module that can be changed so that it means something else. Empty where it does not parse. */
export function javascriptEdits(text: string): readonly Edit[] {
  const edits: Edit[] = [];
  const edit = (start: number, end: number, replacement: string) => edits.push({ start, end, replacement });
  let tree: AnyNode;
  try {
    tree = parse(text, { ecmaVersion: 'latest', sourceType: 'module' });
  } catch {
    return [];
  }
  full(tree, (found) => {
    const node = found as AnyNode;
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const swap = operatorSwaps[node.operator];
        const at = text.indexOf(node.operator, node.left.end);
        if (swap !== undefined && at >= 0 && at < node.right.start) edit(at, at + node.operator.length, swap);
        break;
      }
      case 'AssignmentExpression': {
        const swap = operatorSwaps[node.operator];
        const at = text.indexOf(node.operator, node.left.end);
        if (swap !== undefined) edit(at, at + node.operator.length, swap);
        break;
      }
      case 'Literal':
        if (typeof node.value === 'number' && Number.isInteger(node.value))
          edit(node.start, node.end, String(node.value + 1));
        if (typeof node.value === 'boolean') edit(node.start, node.end, String(!node.value));
        break;
      case 'IfStatement': {
        const { start, end } = node.test;
        edit(start, end, `!(${text.slice(start, end)})`);
        // A guard for an edge case: taken away.
        if (node.alternate === null || node.alternate === undefined) edit(start, end, 'false');
        break;
      }
      case 'ConditionalExpression': {
        const { consequent: yes, alternate: no } = node;
        edit(yes.start, no.end, `${text.slice(no.start, no.end)} : ${text.slice(yes.start, yes.end)}`);
        break;
      }
      case 'ReturnStatement':
        if (node.argument != null) edit(node.argument.start, node.argument.end, 'undefined');
        break;
    }
  });
  return edits;
}
