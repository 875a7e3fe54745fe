import { describe, expect, it } from 'vitest';
import { dropTypes } from '../../../src/gym/verify/drop-types.js';

describe('TypeScript of an answer', () => {
  it('loses its types', async () => {
    const sources = ['const a: number = 1;', 'export function f<T>(x: T): T { return x as T; }'];
    const [first, second] = await Promise.all(sources.map((text) => dropTypes(text)));
    expect(first?.replaceAll(' ', '')).toBe('consta=1;');
    expect(second).not.toContain('<T>');
  });

  it('that does not parse is a SyntaxError', async () => {
    await expect(dropTypes('function (')).rejects.toThrow(SyntaxError);
    await expect(dropTypes(`const a = ${'('.repeat(100_000)}`)).rejects.toThrow(SyntaxError);
  });

  it('that would take for ever is a SyntaxError, and this process goes on meanwhile', async () => {
    let turns = 0;
    const clock = setInterval(() => turns++, 10);
    const endless = dropTypes(`const f = ${'<T>('.repeat(60)}1${')'.repeat(60)};`);
    const next = dropTypes('let b: string;');
    await expect(endless).rejects.toThrow('its types take too long to read');
    expect(await next).toContain('let b');
    clearInterval(clock);
    expect(turns).toBeGreaterThan(2);
  });
});
