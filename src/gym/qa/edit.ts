/** A change of a source text that should make it wrong. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** What an operator becomes, in both languages. */
export const operatorSwaps: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '==': '!=',
  '!=': '==',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '+',
  '//': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '+=': '-=',
  '-=': '+=',
};
