import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hasBubblewrap } from '../support.js';
import { attackNames } from './attacks.js';

const someone = 23_456;
/** As another user: a script of this directory, with a plain environment. */
function runAs(user: number, script: string) {
  return spawnSync(process.execPath, ['--import', 'tsx', new URL(script, import.meta.url).pathname], {
    uid: user,
    gid: user,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent' },
    encoding: 'utf8',
    timeout: 300_000,
  });
}

const ran = process.getuid?.() === 0 && hasBubblewrap ? runAs(someone, './attack-all.ts') : null;
/** Whether that user may read this checkout at all. */
const reachable =
  spawnSync('test', ['-r', fileURLToPath(import.meta.url)], { uid: someone, gid: someone, cwd: '/' }).status === 0;
const report = ran?.status === 0 ? JSON.parse(ran.stdout) : null;
const why =
  ran === null
    ? 'the tests are not run by root with bubblewrap; the others are run as an ordinary user then'
    : `another user cannot run them here: ${reachable ? ran.stderr.trim().split('\n').at(-1) : 'this checkout is not readable by others'}`;
// a checkout that other users cannot read, or a kernel that forbids them namespaces
const excused = ran === null || !reachable || /EACCES|permission denied|the kernel forbids them/i.test(ran.stderr);
if (report === null && excused) console.warn(`skipped: the local sandbox of an ordinary user (${why})`);

describe.skipIf(report === null && excused)('the local sandbox of an ordinary user', () => {
  it('lacks nothing', () => {
    expect(ran?.stderr).toBe('');
    expect(report).toMatchObject({ user: someone, missing: [] });
  });

  it.each(attackNames)('holds against an attempt to %s', (name) => {
    // python3 may be another one for that user, or missing
    if (name in report.results) expect(report.results[name]).toBeNull();
  });
});
