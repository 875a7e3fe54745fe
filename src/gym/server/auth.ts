import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Next } from 'hono';
import { problem } from './problem.js';

/** Compares in a time that says nothing about how much of the key is right, nor about its length. */
function isKey(given: string, keys: readonly string[]): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const wanted = digest(given);
  // No early end: which of the keys it is stays hidden too.
  return keys.filter((key) => timingSafeEqual(digest(key), wanted)).length > 0;
}

/**
 * The key in a request: `X-API-Key`, a bearer token, or the password of basic authentication, for clients that can be given nothing but a
 * URL (`http://gym:KEY@host:8000/…`).
 */
export function keyOf(header: (name: string) => string | undefined): string | null {
  const own = header('X-API-Key');
  if (own !== undefined) return own;
  const [scheme, value] = (header('Authorization') ?? '').split(' ') as [string, string | undefined];
  if (value === undefined) return null;
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return null;
  const text = Buffer.from(value, 'base64').toString('utf8');
  return text.includes(':') ? text.slice(text.indexOf(':') + 1) : null;
}

/** Refuses requests without one of the keys. */
export function authenticate(keys: readonly string[]) {
  return async (context: Context, next: Next) => {
    const key = keyOf((name) => context.req.header(name));
    if (key !== null && isKey(key, keys)) return next();
    throw problem(401, key === null ? 'the header X-API-Key is missing' : 'the key in X-API-Key is not the right one');
  };
}
