import type { Language } from '../language.js';
import { showType, type ValueType } from '../value-type.js';
import type { FunctionSignature } from './types.js';

/** How the answer's function begins in a language: Python with annotations, TypeScript with types, JavaScript with a JSDoc comment. */
export function renderSignature({ names, parameters, returns }: FunctionSignature, language: Language): string {
  const list = (show: (parameter: FunctionSignature['parameters'][number]) => string) =>
    parameters.map(show).join(', ');
  switch (language) {
    case 'python':
      return `def ${names.python}(${list(({ name, type }) => `${name}: ${pythonType(type)}`)}) -> ${pythonType(returns)}:`;
    case 'typescript':
      return `function ${names.javascript}(${list(({ name, type }) => `${name}: ${typescriptType(type)}`)}): ${typescriptType(returns)}`;
    default: {
      const comment = [
        '/**',
        ...parameters.map(({ name, type }) => ` * @param {${typescriptType(type)}} ${name}`),
        ` * @returns {${typescriptType(returns)}}`,
        ' */',
      ];
      return `${comment.join('\n')}\nfunction ${names.javascript}(${list(({ name }) => name)})`;
    }
  }
}

/** The name that an answer in this language has to define. */
export function functionName({ names }: FunctionSignature, language: Language): string {
  return language === 'python' ? names.python : names.javascript;
}

/** `object` stands for any: unlike `Any` it needs no import in the answer. */
function pythonType(type: ValueType): string {
  switch (type.kind) {
    case 'any':
      return 'object';
    case 'list':
    case 'set':
      return `${type.kind}[${pythonType(type.of)}]`;
    case 'tuple':
      return `tuple[${type.of.map(pythonType).join(', ')}]`;
    case 'dict':
      return `dict[${pythonType(type.key)}, ${pythonType(type.value)}]`;
    case 'union':
      return type.of.map(pythonType).join(' | ');
    default:
      return showType(type);
  }
}

const typescriptNames = {
  int: 'number',
  float: 'number',
  str: 'string',
  bool: 'boolean',
  none: 'null',
  bytes: 'Uint8Array',
  any: 'unknown',
} as const;

function typescriptType(type: ValueType): string {
  switch (type.kind) {
    case 'list': {
      const item = typescriptType(type.of);
      return type.of.kind === 'union' && item.includes(' | ') ? `(${item})[]` : `${item}[]`;
    }
    case 'set':
      return `Set<${typescriptType(type.of)}>`;
    case 'tuple':
      return `[${type.of.map(typescriptType).join(', ')}]`;
    case 'dict':
      return `${type.key.kind === 'str' ? 'Record' : 'Map'}<${typescriptType(type.key)}, ${typescriptType(type.value)}>`;
    case 'union':
      return [...new Set(type.of.map(typescriptType))].join(' | ');
    default:
      return typescriptNames[type.kind];
  }
}
