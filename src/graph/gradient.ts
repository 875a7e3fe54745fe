import { add } from './ops/elementwise.js';
import { isInput } from './ops/leaf.js';
import type { Node, Tensor } from './tensor.js';

/** Nodes that `outputs` depend on, each after its inputs. The walk does not go past the nodes of `stopAt`. */
export function topologicalOrder(outputs: readonly Tensor[], stopAt: ReadonlySet<Node> = new Set()): Node[] {
  const order: Node[] = [];
  const seen = new Set<Node>();
  const stack: { node: Node; next: number }[] = [];
  for (const output of outputs) {
    if (!seen.has(output.node)) {
      seen.add(output.node);
      stack.push({ node: output.node, next: 0 });
    }
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const child = stopAt.has(top.node) ? undefined : top.node.inputs[top.next++]?.node;
      if (!child) {
        order.push(top.node);
        stack.pop();
      } else if (!seen.has(child)) {
        seen.add(child);
        stack.push({ node: child, next: 0 });
      }
    }
  }
  return order;
}

/** Whether a change of `source` could change `tensor`. */
export const dependsOn = (tensor: Tensor, source: Tensor): boolean => topologicalOrder([tensor]).includes(source.node);

/** Float inputs that `output` depends on otherwise than through the tensors of `stopAt`. */
export function leavesOf(output: Tensor, stopAt: readonly Tensor[]): Tensor[] {
  const leaves = new Map<Node, Tensor>();
  const stops = new Set(stopAt.map((tensor) => tensor.node));
  for (const node of topologicalOrder([output], stops)) {
    if (stops.has(node)) continue;
    for (const input of node.inputs) {
      if (isInput(input) && input.dtype === 'float32' && !stops.has(input.node)) leaves.set(input.node, input);
    }
  }
  return [...leaves.values()];
}

export interface GradientOptions {
  /** Tensors whose own inputs are not followed. */
  readonly stopAt?: readonly Tensor[];
}

/**
 * Reverse-mode gradients. `seeds` pairs each output with the gradient that arrives at it; the result holds the gradient
 * of each tensor of `wrt`, null where none flows.
 */
export function gradients(
  seeds: readonly (readonly [output: Tensor, gradient: Tensor])[],
  wrt: readonly Tensor[],
  options: GradientOptions = {},
): (Tensor | null)[] {
  const stops = new Set((options.stopAt ?? []).map((tensor) => tensor.node));
  const order = topologicalOrder(
    seeds.map(([output]) => output),
    stops,
  );
  const wanted = new Set(wrt.map((tensor) => tensor.node));
  const reaches = new Set<Node>();
  for (const node of order) {
    const follows = node.definition.gradient && !stops.has(node);
    const through = follows && node.inputs.some((input) => reaches.has(input.node));
    if (wanted.has(node) || through) reaches.add(node);
  }

  const arrived = new Map<Node, (Tensor | null)[]>();
  const accumulate = (tensor: Tensor, gradient: Tensor): void => {
    const list = arrived.get(tensor.node) ?? [];
    arrived.set(tensor.node, list);
    const before = list[tensor.output];
    list[tensor.output] = before ? add(before, gradient) : gradient;
  };

  for (const [output, gradient] of seeds) accumulate(output, gradient);

  for (let i = order.length - 1; i >= 0; i--) {
    const node = order[i]!;
    const list = arrived.get(node);
    if (!list || stops.has(node) || !node.definition.gradient) continue;
    const needs = node.inputs.map((input) => reaches.has(input.node) && input.dtype === 'float32');
    if (!needs.some(Boolean)) continue;
    const outputs = allOutputs(node);
    const given = node.definition.gradient({
      node,
      inputs: node.inputs,
      outputs,
      gradients: outputs.map((_, output) => list[output] ?? null),
      needs,
    });
    node.inputs.forEach((input, j) => {
      const gradient = given[j];
      if (gradient && needs[j]) accumulate(input, gradient);
    });
  }
  return wrt.map((tensor) => arrived.get(tensor.node)?.[tensor.output] ?? null);
}

/** Every output of a node as a tensor; equal to the ones its creation returned. */
function allOutputs(node: Node): Tensor[] {
  return node.definition
    .infer(node.inputs, node.attributes)
    .map((type, output) => ({ node, output, dtype: type.dtype, shape: type.shape }));
}
