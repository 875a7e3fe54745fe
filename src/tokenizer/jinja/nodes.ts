/** The syntax tree that the library's parser gives, as far as it is evaluated here. */
export type Node =
  | { readonly type: 'Comment' | 'Break' | 'Continue' }
  | { readonly type: 'If'; readonly test: Node; readonly body: readonly Node[]; readonly alternate: readonly Node[] }
  | ForNode
  | SetNode
  | MacroNode
  | {
      readonly type: 'CallStatement';
      readonly call: CallNode;
      readonly callerArgs: MacroNode['args'] | null;
      readonly body: readonly Node[];
    }
  | { readonly type: 'FilterStatement'; readonly filter: NameNode | CallNode; readonly body: readonly Node[] }
  | { readonly type: 'StringLiteral'; readonly value: string }
  | { readonly type: 'IntegerLiteral' | 'FloatLiteral'; readonly value: number }
  | { readonly type: 'ArrayLiteral' | 'TupleLiteral'; readonly value: readonly Node[] }
  | { readonly type: 'ObjectLiteral'; readonly value: ReadonlyMap<Node, Node> }
  | NameNode
  | MemberNode
  | CallNode
  | { readonly type: 'FilterExpression'; readonly operand: Node; readonly filter: NameNode | CallNode }
  | { readonly type: 'TestExpression'; readonly operand: Node; readonly negate: boolean; readonly test: NameNode }
  | { readonly type: 'UnaryExpression'; readonly operator: Operator; readonly argument: Node }
  | { readonly type: 'BinaryExpression'; readonly operator: Operator; readonly left: Node; readonly right: Node }
  | { readonly type: 'Ternary'; readonly condition: Node; readonly trueExpr: Node; readonly falseExpr: Node }
  | { readonly type: 'SelectExpression'; readonly lhs: Node; readonly test: Node }
  | {
      readonly type: 'SliceExpression';
      readonly start: Node | undefined;
      readonly stop: Node | undefined;
      readonly step: Node | undefined;
    }
  | KeywordNode
  | { readonly type: 'SpreadExpression' | 'KeywordSpreadExpression'; readonly argument: Node };

export interface Operator {
  readonly value: string;
}

export interface NameNode {
  readonly type: 'Identifier';
  readonly value: string;
}

export interface KeywordNode {
  readonly type: 'KeywordArgumentExpression';
  readonly key: NameNode;
  readonly value: Node;
}

export interface MemberNode {
  readonly type: 'MemberExpression';
  readonly object: Node;
  readonly property: Node;
  readonly computed: boolean;
}

export interface CallNode {
  readonly type: 'CallExpression';
  readonly callee: Node;
  readonly args: readonly Node[];
}

export interface ForNode {
  readonly type: 'For';
  readonly loopvar: Node;
  readonly iterable: Node;
  readonly body: readonly Node[];
  readonly defaultBlock: readonly Node[];
}

export interface SetNode {
  readonly type: 'Set';
  readonly assignee: Node;
  readonly value: Node | null;
  readonly body: readonly Node[];
}

export interface MacroNode {
  readonly type: 'Macro';
  readonly name: NameNode;
  readonly args: readonly (NameNode | KeywordNode)[];
  readonly body: readonly Node[];
}
