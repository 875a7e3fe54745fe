import { readFile } from 'node:fs/promises';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Typed reading of a JSON object. A missing or null key gives the default; a value of the wrong type is an error that
 * names the file, the key and what was found.
 */
export interface JsonFields {
  has(key: string): boolean;
  number(key: string, fallback?: number): number;
  /** A whole number of at least 1. */
  count(key: string, fallback?: number): number;
  boolean(key: string, fallback: boolean): boolean;
  string(key: string, fallback: string): string;
  strings(key: string): readonly string[];
  object(key: string): JsonObject | null;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function jsonFields(object: JsonObject, where: string): JsonFields {
  const wrong = (key: string, wanted: string): Error =>
    new Error(`${where}: ${key} must be ${wanted}, but is ${JSON.stringify(object[key]) ?? 'missing'}.`);
  const has = (key: string) => object[key] !== undefined && object[key] !== null;

  function number(key: string, fallback?: number): number {
    if (!has(key) && fallback !== undefined) return fallback;
    const value = object[key];
    if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(key, 'a number');
    return value;
  }
  return {
    has,
    number,
    count(key, fallback) {
      const value = number(key, fallback);
      if (!Number.isSafeInteger(value) || value < 1) throw wrong(key, 'a whole number of at least 1');
      return value;
    },
    boolean(key, fallback) {
      if (!has(key)) return fallback;
      const value = object[key];
      if (typeof value !== 'boolean') throw wrong(key, 'true or false');
      return value;
    },
    string(key, fallback) {
      if (!has(key)) return fallback;
      const value = object[key];
      if (typeof value !== 'string') throw wrong(key, 'a string');
      return value;
    },
    strings(key) {
      const value = object[key] ?? [];
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
        throw wrong(key, 'a list of strings');
      }
      return value;
    },
    object(key) {
      if (!has(key)) return null;
      const value = object[key];
      if (!isJsonObject(value)) throw wrong(key, 'an object');
      return value;
    },
  };
}

/** Parses a text that must hold one JSON object. The error says where, and names NaN and Infinity, which Python writes. */
export function parseJsonObject(text: string, where: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const python = /[:[,]\s*(-?Infinity|NaN)\b/.exec(text)?.[1];
    const hint =
      python === undefined ? '' : ` It contains ${python}, which JSON does not have; write a number or null.`;
    throw new Error(`${where} is not valid JSON: ${(cause as Error).message}.${hint}`, { cause });
  }
  if (!isJsonObject(value)) throw new Error(`${where} must hold a JSON object.`);
  return value;
}

export async function readJsonObject(path: string): Promise<JsonObject> {
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new Error(`${path} cannot be read: ${cause.message}`, { cause });
  });
  return parseJsonObject(text, path);
}
