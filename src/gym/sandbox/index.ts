export { type Bind, type IsolationOptions, isolated, type SpawnPlan, workDirectory } from './bubblewrap.js';
export { type Interpreter, type Interpreters, interpreters } from './interpreters.js';
export type { SandboxLanguage } from './limits.js';
export { seccompProgram } from './seccomp.js';
export * from './types.js';
export { unownedUser } from './user.js';
