import { openLocalSandboxes } from './local.js';
import { openUnisolatedSandboxes } from './none.js';
import type { SandboxName, SandboxProvider } from './types.js';

export { isolated, type SpawnPlan, workDirectory } from './bubblewrap.js';
export { interpreters, pythonFor } from './interpreters.js';
export { openLocalSandboxes } from './local.js';
export { seccompProgram } from './seccomp.js';
export * from './types.js';
export { unownedUser } from './user.js';

/** Sandboxes of a kind. Whether they can be used is found out when the first is made. */
export async function openSandboxes(name: SandboxName): Promise<SandboxProvider> {
  switch (name) {
    case 'local':
      return openLocalSandboxes();
    case 'none':
      return openUnisolatedSandboxes();
    case 'daytona':
      return (await import('./daytona.js')).openDaytona();
    case 'e2b':
      return (await import('./e2b.js')).openE2b();
  }
}
