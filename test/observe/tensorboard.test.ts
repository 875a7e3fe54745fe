import { expect, test } from 'vitest';
import { crc32c } from '../../src/observe/crc32c.js';
import { tfRecord } from '../../src/observe/tensorboard.js';

test('CRC-32C has the values of RFC 3720, appendix B.4', () => {
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
  expect(crc32c(Uint8Array.from({ length: 32 }, (_, index) => index))).toBe(0x46dd794e);
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
});

test('a record begins as every event file does', () => {
  // The first 12 bytes of an event file whose first event has 24 bytes, as TensorFlow writes them.
  const record = tfRecord(new Uint8Array(24));
  expect(Buffer.from(record.subarray(0, 12)).toString('hex')).toBe('1800000000000000a37f4b22');
  expect(record).toHaveLength(24 + 16);
});
