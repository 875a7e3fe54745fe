/** System calls by name, with their numbers on x86_64 and on aarch64 (null: the machine has no such call). */
type CallNumbers = Readonly<Record<string, readonly [x64: number, arm64: number | null]>>;

/** What nothing that judges or runs an answer needs, and what widens the kernel's surface or reaches past the limits. */
const refused: CallNumbers = {
  // other processes' memory and descriptors
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  // mounts and namespaces
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  setns: [308, 268],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  statmount: [457, 457],
  listmount: [458, 458],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // seeing which files of the system others open
  inotify_init: [253, null],
  inotify_init1: [294, 26],
  // large kernel interfaces with a history of holes
  bpf: [321, 280],
  perf_event_open: [298, 241],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  userfaultfd: [323, 282],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  fanotify_init: [300, 262],
  modify_ldt: [154, null],
  lookup_dcookie: [212, 18],
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  // memory that neither the address space limit nor the size of /tmp bounds
  shmget: [29, 194],
  msgget: [68, 186],
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  // the machine
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
  iopl: [172, null],
  ioperm: [173, null],
};

const arches = {
  x64: { audit: 0xc000003e, column: 0, clone: 56, clone3: 435, unshare: 272, prlimit: 302, socket: 41 },
  arm64: { audit: 0xc00000b7, column: 1, clone: 220, clone3: 435, unshare: 97, prlimit: 261, socket: 198 },
} as const;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const namespaceFlags = 0x7e020000;
const newTimeNamespace = 0x80;
/** AF_UNIX, AF_INET, AF_INET6. The network namespace has a loopback device only. */
const socketFamilies = [1, 2, 10];

const EPERM = 1;
const ENOSYS = 38;
const allow = 0x7fff0000;
const killProcess = 0x80000000;
const fail = (errno: number) => 0x00050000 | errno;

/** One `struct sock_filter`. */
type Instruction = readonly [code: number, jumpIfTrue: number, jumpIfFalse: number, operand: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const skipUnlessEqual = (value: number, count: number): Instruction => [0x15, 0, count, value];
const skipIfEqual = (value: number, count: number): Instruction => [0x15, count, 0, value];
const skipUnlessAny = (bits: number, count: number): Instruction => [0x45, 0, count, bits];
const skipIfBelow = (value: number, count: number): Instruction => [0x35, 0, count, value];
const answer = (action: number): Instruction => [0x06, 0, 0, action];

/** Offsets in `struct seccomp_data`; the lower half of the first argument on a little-endian machine. */
const callNumber = 0;
const machine = 4;
const firstArgument = 16;

/**
 * A seccomp program (`struct sock_filter[]`) that lets ordinary programs run and refuses with EPERM what a sandboxed one has no
 * business with: tracing, mounts, namespaces, kernel keys, bpf, io_uring, exotic sockets, … Calls of a foreign instruction set kill.
 * null where the machine's call numbers are not known.
 */
export function seccompProgram(arch: string = process.arch): Uint8Array | null {
  if (arch !== 'x64' && arch !== 'arm64') return null;
  const { audit, column, clone, clone3, unshare, prlimit, socket } = arches[arch];
  const program: Instruction[] = [load(machine), skipIfEqual(audit, 1), answer(killProcess), load(callNumber)];
  // x32 shares the machine's number but has calls of its own from this bit on
  if (arch === 'x64') program.push(skipIfBelow(0x40000000, 1), answer(fail(EPERM)));
  for (const numbers of Object.values(refused)) {
    const number = numbers[column];
    if (number !== null) program.push(skipUnlessEqual(number, 1), answer(fail(EPERM)));
  }
  // its flags lie in memory, out of the filter's sight; the C library then uses clone
  program.push(skipUnlessEqual(clone3, 1), answer(fail(ENOSYS)));
  for (const [number, flags] of [
    [clone, namespaceFlags],
    [unshare, namespaceFlags | newTimeNamespace],
  ] as const) {
    program.push(skipUnlessEqual(number, 4), load(firstArgument), skipUnlessAny(flags, 1));
    program.push(answer(fail(EPERM)), answer(allow));
  }
  // its own limits only: with another's of the same user it could end the process that reports
  program.push(skipUnlessEqual(prlimit, 4), load(firstArgument), skipUnlessEqual(0, 1));
  program.push(answer(allow), answer(fail(EPERM)));
  program.push(skipUnlessEqual(socket, 3 + socketFamilies.length), load(firstArgument));
  for (const [index, family] of socketFamilies.entries()) {
    program.push(skipIfEqual(family, socketFamilies.length - index));
  }
  program.push(answer(fail(EPERM)), answer(allow), answer(allow));

  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, [code, jumpIfTrue, jumpIfFalse, operand]] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, jumpIfTrue);
    view.setUint8(index * 8 + 3, jumpIfFalse);
    view.setUint32(index * 8 + 4, operand >>> 0, true);
  }
  return bytes;
}
