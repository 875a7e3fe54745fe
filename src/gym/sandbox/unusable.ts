import { readFileSync } from 'node:fs';
import { SandboxError } from './types.js';
import { isRoot } from './user.js';

/** The value of a setting such as `kernel.unprivileged_userns_clone`; null where this kernel has none of that name. */
export type KernelSetting = (name: string) => string | null;

export function kernelSetting(name: string): string | null {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').trim();
  } catch {
    return null;
  }
}

const settings: readonly { name: string; forbids: string; remedy: string }[] = [
  {
    name: 'kernel.unprivileged_userns_clone',
    forbids: '0',
    remedy: 'allow them with `sysctl -w kernel.unprivileged_userns_clone=1`',
  },
  {
    name: 'user.max_user_namespaces',
    forbids: '0',
    remedy: 'allow them with `sysctl -w user.max_user_namespaces=15000`',
  },
  {
    name: 'kernel.apparmor_restrict_unprivileged_userns',
    forbids: '1',
    remedy:
      'AppArmor forbids them to programs without a profile: give bwrap one (/etc/apparmor.d/bwrap with `userns,`), ' +
      'or `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`',
  },
];

/** What bubblewrap said when it could not make a sandbox, in terms of what one can do about it. */
export function explainUnusable(
  { stderr, code, signal }: { stderr: string; code: number | null; signal: string | null },
  setting: KernelSetting,
): SandboxError {
  const said = stderr.trim().split('\n').slice(-3).join('; ') || `bubblewrap ended with ${signal ?? code}`;
  const instead = 'or use the sandbox daytona or e2b, or `sandbox: none` for answers that you trust';
  const unavailable = (message: string) => new SandboxError(message, { reason: 'unavailable' });
  if (/prlimit|setpriv/.test(said)) {
    return unavailable(`the local sandbox needs prlimit and setpriv: install util-linux (${said}); ${instead}`);
  }
  if (!/namespace|uid map|[Pp]ermission|not permitted|RTM_NEWADDR/.test(said)) {
    return new SandboxError(`the local sandbox did not start: ${said}`);
  }
  const forbidding = settings.find(({ name, forbids }) => setting(name) === forbids);
  const remedy =
    forbidding?.remedy ??
    (isRoot()
      ? 'this container takes the privilege from its root: start it with CAP_SYS_ADMIN and without its seccomp filter (docker run --privileged)'
      : 'in a container: start it with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined`');
  return unavailable(
    `the local sandbox needs namespaces, and the kernel forbids them (${said}): ${remedy}; ${instead}`,
  );
}
