import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../assets.js';
import { findProgram, interpreters, isInside } from './interpreters.js';
import { limitArguments, type SandboxLanguage } from './limits.js';
import { supportFiles } from './support-files.js';
import { SandboxError, type SandboxLimits } from './types.js';
import { isRoot, ordinaryUser, unownedUser } from './user.js';

interface Bind {
  readonly host: string;
  readonly inside: string;
  readonly writable: boolean;
}

export interface IsolationOptions {
  readonly limits: SandboxLimits;
  readonly binds?: readonly Bind[] | undefined;
  /** What lies at /work, where the command starts: a host directory that `user` can write, or memory of the size of the disk limit. */
  readonly workDirectory: { readonly host: string } | 'tmpfs';
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Leave out the system call filter and the limit of processor time, for a fork server that makes namespaces for its children. It
   * must install `seccompProgram()` in them before it lets them run what it does not trust.
   */
  readonly nestedNamespaces?: boolean | undefined;
  /** Decides how memory and threads are limited. Default: so that every language can run. */
  readonly language?: SandboxLanguage | undefined;
  /** Descriptors from 3 on that the caller hands to the command. At most 6. */
  readonly extraFds?: number | undefined;
  /** When started by root, whom the command runs as. Default: a user id of its own. */
  readonly user?: number | undefined;
  /** Write the exit status, and a newline, to descriptor 3 of the caller's. Nothing is written when the sandbox itself is killed. */
  readonly reportStatus?: boolean | undefined;
  /** Path of bubblewrap. Default: `bwrap` on the PATH. */
  readonly bwrap?: string | undefined;
}

/** What to give to `child_process.spawn`. Killing the process kills everything inside. */
export interface SpawnPlan {
  readonly file: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

/** Where the work directory is inside. */
export const workDirectory = '/work';
const systemDirectories = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const etcOfHost = ['/etc/ld.so.cache', '/etc/alternatives'];
const etcOfSandbox = ['passwd', 'group', 'hosts', 'nsswitch.conf'];

/**
 * How to run a command in namespaces of its own: no network, no other processes, no files but the system's programs, what is bound,
 * and a work directory. No privileges, the given limits, an environment of its own.
 *
 * @throws SandboxError (`unavailable`) where there is no bubblewrap
 */
export function isolated(command: readonly string[], options: IsolationOptions): SpawnPlan {
  const { limits, language, extraFds = 0, reportStatus = false, nestedNamespaces = false } = options;
  const bwrap = findBubblewrap(options.bwrap);
  const root = isRoot();
  const support = supportFiles();
  const filter = nestedNamespaces ? null : support.seccomp;
  // the shell that opens the filter's file knows one-digit descriptors only
  const filterFd = 3 + (reportStatus ? 1 : 0) + extraFds;
  const args = [
    ...namespaceArguments(root),
    ...environmentArguments(options.env),
    ...mountArguments(options, support),
    ...(filter === null ? [] : ['--seccomp', String(filterFd)]),
    ...(reportStatus ? ['--as-pid-1'] : []),
    '--',
    // as process 1 it cannot be killed from inside, and its end ends all others
    ...(reportStatus ? ['/bin/sh', '-c', '"$@" 3>&-; echo $? >&3', 'sh'] : []),
    '/usr/bin/prlimit',
    ...limitArguments({
      limits,
      language,
      oneUse: !nestedNamespaces,
      overhead: root ? 0 : 1,
    }),
    '--',
    ...(root ? becomeUser(options.user ?? unownedUser()) : []),
    ...command,
  ];
  const env = { PATH: sandboxPath() };
  if (filter === null) return { file: bwrap, args, env };
  return { file: '/bin/sh', args: ['-c', `exec "$@" ${filterFd}<"$0"`, filter, bwrap, ...args], env };
}

/** @throws SandboxError saying how to install it, or what there is instead on other systems */
export function findBubblewrap(bwrap = 'bwrap', platform: string = process.platform): string {
  if (platform !== 'linux') {
    throw new SandboxError(
      `the local sandbox needs Linux (bubblewrap), this is ${platform}; use the sandbox daytona or e2b, or \`sandbox: none\` for answers that you trust`,
      { reason: 'unavailable' },
    );
  }
  const file = findProgram(bwrap);
  if (file !== null) return file;
  throw new SandboxError(
    `the local sandbox needs bubblewrap and there is no ${bwrap === 'bwrap' ? 'bwrap on the PATH' : bwrap}; install it ` +
      '(apt install bubblewrap, dnf install bubblewrap, apk add bubblewrap, pacman -S bubblewrap), ' +
      'or use the sandbox daytona or e2b, or `sandbox: none` for answers that you trust',
    { reason: 'unavailable' },
  );
}

function namespaceArguments(root: boolean): string[] {
  return [
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    // root needs no user namespace, and becomes someone else inside
    ...(root ? [] : ['--unshare-user', '--uid', String(ordinaryUser), '--gid', String(ordinaryUser)]),
    ...['--hostname', 'sandbox', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...(root ? ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) => ['--cap-add', name]) : []),
  ];
}

function becomeUser(user: number): string[] {
  const id = String(user);
  return [
    ...['/usr/bin/setpriv', '--reuid', id, '--regid', id, '--clear-groups'],
    ...['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--'],
  ];
}

function environmentArguments(env: Readonly<Record<string, string>> = {}): string[] {
  const all = {
    PATH: sandboxPath(),
    HOME: workDirectory,
    TMPDIR: '/tmp',
    USER: 'sandbox',
    LOGNAME: 'sandbox',
    LANG: 'C.UTF-8',
    PYTHONDONTWRITEBYTECODE: '1',
    ...env,
  };
  return ['--clearenv', ...Object.entries(all).flatMap(([name, value]) => ['--setenv', name, value])];
}

/** The languages' own directories first, so that `python3` and `node` are those that were found. */
function sandboxPath(): string {
  const { python, node } = interpreters();
  const own = [python?.file, node.file].flatMap((file) => (file ? [dirname(file)] : []));
  const system = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
  return [...new Set([...own.filter((directory) => !system.includes(directory)), ...system])].join(':');
}

function mountArguments(options: IsolationOptions, support: ReturnType<typeof supportFiles>): string[] {
  const { limits, binds = [], workDirectory: work } = options;
  const disk = String(Math.round(limits.diskMb * 2 ** 20));
  const memory = (path: string) => ['--size', disk, '--perms', '0777', '--tmpfs', path];
  const readOnlyBind = (path: string, inside = path) => ['--ro-bind', path, inside];
  const shown = [...prefixes(), ...binds.map(({ inside }) => inside)];
  return [
    ...readOnlyBind('/usr'),
    ...systemDirectories.flatMap(systemDirectory),
    // the first process shows paths of the host in its command line, and is the one that reports
    ...['--proc', '/proc', ...readOnlyBind(support.emptyDirectory, '/proc/1')],
    ...['--dev', '/dev', ...memory('/dev/shm'), '--remount-ro', '/dev', ...memory('/tmp')],
    // directories that bubblewrap makes on its own only root can enter
    ...ancestors(['/etc/passwd', ...shown]).flatMap((path) => ['--perms', '0755', '--dir', path]),
    ...etcOfHost.filter((path) => existsSync(path)).flatMap((path) => readOnlyBind(path)),
    ...etcOfSandbox.flatMap((name) => readOnlyBind(join(support.etc, name), `/etc/${name}`)),
    ...prefixes().flatMap((path) => readOnlyBind(path)),
    ...hidden().flatMap((path) => readOnlyBind(support.emptyDirectory, path)),
    ...(work === 'tmpfs' ? memory(workDirectory) : ['--bind', work.host, workDirectory]),
    ...binds.flatMap(({ host, inside, writable }) => [writable ? '--bind' : '--ro-bind', host, inside]),
    ...['--chdir', workDirectory, '--remount-ro', '/'],
  ];
}

/** Directories to make above these paths, outermost first. */
function ancestors(paths: readonly string[]): string[] {
  const above = (path: string): string[] => (path === '/' ? [] : [...above(dirname(path)), path]);
  const made = ['/usr', '/dev', '/proc', workDirectory, ...systemDirectories];
  return [...new Set(paths.flatMap((path) => above(dirname(path))))].filter(
    (path) => !made.some((directory) => isInside(path, directory)),
  );
}

/** /bin and the like are directories of their own on some systems, links into /usr on most. */
function systemDirectory(path: string): string[] {
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

function prefixes(): string[] {
  const { python, node } = interpreters();
  return [...new Set([python?.prefix, node.prefix].filter((path) => path != null))];
}

/**
 * Directories below those that are bound which may hold environments, with their references and seeds, or someone's project:
 * globally installed packages, sources, this package, the directory that one works in.
 */
function hidden(): string[] {
  const bound = ['/usr', ...prefixes()];
  const { python, node } = interpreters();
  const needed = [node.file, python?.file ?? node.file, '/usr/local/bin', '/usr/local/lib'];
  const candidates = [
    ...['/usr/src', '/usr/local/src', '/usr/local/lib/node_modules'],
    ...bound.map((directory) => join(directory, 'lib/node_modules')),
    ...[packageRoot, process.cwd()],
  ];
  return [...new Set(candidates)].filter(
    (path) =>
      bound.some((directory) => path !== directory && isInside(path, directory)) &&
      !needed.some((file) => isInside(file, path)) &&
      existsSync(path),
  );
}
