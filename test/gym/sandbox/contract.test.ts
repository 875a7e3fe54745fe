import { openSandboxes } from '../../../src/gym/sandbox/index.js';
import { describeIsolated } from '../support.js';
import { sandboxContract } from './contract.js';

sandboxContract('none', () => openSandboxes('none'));

describeIsolated('with bubblewrap', () => {
  sandboxContract('local', () => openSandboxes('local'));
});
