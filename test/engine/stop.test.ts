import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createStopMatcher } from '../../src/engine/local/stop.js';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');

/** Number of the piece that completes a stop string, or −1. */
function stopsAt(pieces: readonly Uint8Array[], stops: readonly string[]): number {
  const matcher = createStopMatcher(stops, pieces);
  return pieces.findIndex((_, token) => matcher.push(token));
}

it('finds a stop string inside a token, across tokens and after a false start', () => {
  expect(stopsAt([bytes('an answer</s> more')], ['</s>'])).toBe(0);
  expect(stopsAt(['a<', '/', 's', '>b', 'c'].map(bytes), ['</s>'])).toBe(3);
  expect(stopsAt(['aa', 'a', 'ab'].map(bytes), ['aaaab'])).toBe(2);
  expect(stopsAt(['x', 'ab', 'ac'].map(bytes), ['abab', 'bac'])).toBe(2);
  expect(stopsAt(['a', 'b'].map(bytes), ['c'])).toBe(-1);
});

it('finds characters whose bytes lie in different tokens', () => {
  const [first, ...rest] = [...bytes('🦊')];
  expect(stopsAt([bytes('a'), Uint8Array.of(first!), Uint8Array.from(rest), bytes('b')], ['🦊'])).toBe(2);
  expect(stopsAt([Uint8Array.of(0xc3), Uint8Array.of(0xa9)], ['è'])).toBe(-1);
});

it('never stops at an empty string and takes tokens without bytes', () => {
  expect(stopsAt(['a', '', 'b'].map(bytes), [''])).toBe(-1);
  expect(stopsAt(['a', '', 'b'].map(bytes), ['ab', ''])).toBe(2);
  const matcher = createStopMatcher(['ab'], [bytes('a'), bytes('b')]);
  expect([0, 7, 1].map((token) => matcher.push(token))).toEqual([false, false, true]);
});

it('stops exactly when the text so far contains one of the strings', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 3 });
  const stop = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(stop, { minLength: 1, maxLength: 3 }), (pieces, stops) => {
      const expected = pieces.findIndex((_, i) => {
        const text = pieces.slice(0, i + 1).join('');
        return stops.some((each) => text.includes(each));
      });
      expect(stopsAt(pieces.map(bytes), stops)).toBe(expected);
    }),
  );
});
