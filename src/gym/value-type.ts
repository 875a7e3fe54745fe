/** The grammar is that of Python's annotations: `list[int]`, `dict[str, float]`, `tuple[int, str]`, `int | None`, `any`. */
export type ValueType =
  | { readonly kind: 'int' | 'float' | 'str' | 'bool' | 'none' | 'bytes' | 'any' }
  | { readonly kind: 'list' | 'set'; readonly of: ValueType }
  | { readonly kind: 'tuple'; readonly of: readonly ValueType[] }
  | { readonly kind: 'dict'; readonly key: ValueType; readonly value: ValueType }
  | { readonly kind: 'union'; readonly of: readonly ValueType[] };

/** As it is written in `environment.yaml`: `dict[str, list[int]]`. */
export function showType(type: ValueType): string {
  switch (type.kind) {
    case 'list':
    case 'set':
      return `${type.kind}[${showType(type.of)}]`;
    case 'tuple':
      return `tuple[${type.of.map(showType).join(', ')}]`;
    case 'dict':
      return `dict[${showType(type.key)}, ${showType(type.value)}]`;
    case 'union':
      return type.of.map(showType).join(' | ');
    default:
      return type.kind === 'none' ? 'None' : type.kind;
  }
}
