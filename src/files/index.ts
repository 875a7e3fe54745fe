export { writeAtomically, writeFully, writeTextAtomically } from './write-atomically.js';
