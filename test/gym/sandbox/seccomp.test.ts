import { describe, expect, it } from 'vitest';
import { seccompProgram } from '../../../src/gym/sandbox/index.js';

const allowed = 0x7fff0000;
const eperm = 0x00050001;
const enosys = 0x00050026;
const killed = 0x80000000;
const audit = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** What the kernel's interpreter would answer. */
function run(program: Uint8Array, data: { arch: number; call: number; argument?: number }): number {
  const view = new DataView(program.buffer, program.byteOffset);
  const words = new Map([
    [0, data.call],
    [4, data.arch],
    [16, data.argument ?? 0],
  ]);
  let accumulator = 0;
  for (let pc = 0; pc * 8 < program.length; pc++) {
    const code = view.getUint16(pc * 8, true);
    const operand = view.getUint32(pc * 8 + 4, true);
    const jump = (taken: boolean) => {
      pc += view.getUint8(pc * 8 + (taken ? 2 : 3));
    };
    if (code === 0x20) accumulator = words.get(operand)!;
    else if (code === 0x15) jump(accumulator === operand);
    else if (code === 0x35) jump(accumulator >= operand);
    else if (code === 0x45) jump((accumulator & operand) !== 0);
    else if (code === 0x06) return operand;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error('ran off the end');
}

describe.each([
  { arch: 'x64', ptrace: 101, mount: 165, clone: 56, unshare: 272, prlimit: 302, socket: 41, read: 0, execve: 59 },
  { arch: 'arm64', ptrace: 117, mount: 40, clone: 220, unshare: 97, prlimit: 261, socket: 198, read: 63, execve: 221 },
] as const)(
  'the system call filter on $arch',
  ({ arch, ptrace, mount, clone, unshare, prlimit, socket, read, execve }) => {
    const program = seccompProgram(arch)!;
    const answer = (call: number, argument?: number) =>
      run(program, { arch: audit[arch], call, ...(argument === undefined ? {} : { argument }) });

    it('lets ordinary calls through', () => {
      for (const call of [read, execve]) expect(answer(call)).toBe(allowed);
    });

    it('refuses tracing, mounts and large interfaces', () => {
      for (const call of [ptrace, mount, 425, 438]) expect(answer(call)).toBe(eperm);
    });

    it('lets processes and threads be made, but no namespaces', () => {
      expect(answer(clone, 17)).toBe(allowed);
      expect(answer(clone, 0x3d0f00)).toBe(allowed);
      for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]) {
        expect(answer(clone, flag | 17)).toBe(eperm);
        expect(answer(unshare, flag)).toBe(eperm);
      }
      expect(answer(unshare, 0x80)).toBe(eperm);
      expect(answer(unshare, 0x400)).toBe(allowed);
      // the C library falls back to clone
      expect(answer(435)).toBe(enosys);
    });

    it('lets local and internet sockets be opened, and no others', () => {
      for (const family of [1, 2, 10]) expect(answer(socket, family)).toBe(allowed);
      for (const family of [0, 16, 17, 38, 40, 44]) expect(answer(socket, family)).toBe(eperm);
    });

    it('lets a process change its own limits, and no others', () => {
      expect(answer(prlimit, 0)).toBe(allowed);
      for (const pid of [1, 2, 4000]) expect(answer(prlimit, pid)).toBe(eperm);
    });

    it('kills on calls of another instruction set', () => {
      expect(run(program, { arch: 0x40000003, call: read })).toBe(killed);
      expect(run(program, { arch: audit[arch === 'x64' ? 'arm64' : 'x64'], call: read })).toBe(killed);
      if (arch === 'x64') expect(answer(0x40000000 + ptrace)).toBe(eperm);
    });
  },
);

it('there is no system call filter for a machine whose calls are not known', () => {
  expect(seccompProgram('riscv64')).toBeNull();
});
