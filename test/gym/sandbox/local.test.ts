import { afterAll, expect, it } from 'vitest';
import { openLocalSandboxes } from '../../../src/gym/sandbox/index.js';
import { describeIsolated } from '../support.js';
import { attackNames, attacks, resultOf } from './attacks.js';

describeIsolated('the local sandbox holds against an attempt to', () => {
  const provider = openLocalSandboxes();
  afterAll(() => provider.dispose());

  it.each(attackNames)('%s', async (name) => {
    expect(await resultOf(attacks[name]!, provider)).toBeNull();
  });
});
