import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import {
  interpreters,
  type Sandbox,
  type SandboxLimits,
  type SandboxProvider,
} from '../../../src/gym/sandbox/index.js';
import { descendants } from '../../../src/gym/sandbox/process-tree.js';

export interface Attack {
  readonly needsPython?: boolean;
  /** Throws where something got through. */
  run(target: Target): Promise<void>;
}

export interface Target {
  readonly provider: SandboxProvider;
  /** A sandbox that is disposed of after the attack. */
  open(limits?: Partial<SandboxLimits>): Promise<Sandbox>;
}

const limits: SandboxLimits = { seconds: 10, memoryMb: 128, processes: 16, outputKb: 64, diskMb: 8 };

/** Runs an attack; null where the sandbox held, otherwise what got through. */
export async function resultOf(attack: Attack, provider: SandboxProvider): Promise<string | null> {
  const opened: Sandbox[] = [];
  const open: Target['open'] = async (changed = {}) => {
    const sandbox = await provider.create({ limits: { ...limits, ...changed } });
    opened.push(sandbox);
    return sandbox;
  };
  const before = new Set(descendants(process.pid));
  try {
    await attack.run({ provider, open });
    await Promise.all(opened.map((sandbox) => sandbox.dispose()));
    assert.deepEqual(
      descendants(process.pid).filter((pid) => !before.has(pid)),
      [],
      'processes are left',
    );
    return null;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await Promise.all(opened.map((sandbox) => sandbox.dispose()));
  }
}

const sh = (box: Sandbox, script: string, options?: Parameters<Sandbox['exec']>[1]) =>
  box.exec(['bash', '-c', script], options);
const python = (box: Sandbox, script: string) => box.exec(['python3', '-c', script]);
const node = (box: Sandbox, script: string) => box.exec(['node', '-e', script]);

async function listening<T>(use: (port: number) => Promise<T>): Promise<T> {
  const server = createServer((socket) => socket.end('secret'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use((server.address() as { port: number }).port);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Calls a system call by number and prints its errno. */
const syscall = (x64: number, arm64: number, args: string) => `
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
number = {"x86_64": ${x64}, "aarch64": ${arm64}}[platform.machine()]
print(ctypes.get_errno() if libc.syscall(number, ${args}) < 0 else "allowed")`;

async function refused(box: Sandbox, x64: number, arm64: number, args: string): Promise<void> {
  const { stdout, stderr } = await python(box, syscall(x64, arm64, args));
  assert.equal(stdout.trim(), '1', `system call ${x64}: ${stdout} ${stderr}`);
}

export const attacks: Readonly<Record<string, Attack>> = {
  'reach a port of this machine': {
    async run({ open }) {
      const box = await open();
      const result = await listening((port) =>
        node(
          box,
          `require('net').connect(${port}, '127.0.0.1').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))`,
        ),
      );
      assert.equal(result.stdout, 'ECONNREFUSED\n');
    },
  },
  'send to the internet and ask for a name': {
    async run({ open }) {
      const box = await open();
      const result = await node(
        box,
        `require('net').connect(53, '192.0.2.1').on('error', (e) => { console.log(e.code);
         require('dns').lookup('example.org', (e) => console.log(e.code)) })`,
      );
      assert.match(result.stdout, /^ENETUNREACH\n(EAI_AGAIN|ENOTFOUND)\n$/);
    },
  },
  'open sockets of the kernel and of raw packets': {
    needsPython: true,
    async run({ open }) {
      const box = await open();
      const { stdout } = await python(
        box,
        `import socket\nfor f, t, p in ((16, 3, 0), (17, 3, 768), (40, 1, 0), (2, 3, 1)):\n try:\n  socket.socket(f, t, p); print("allowed")\n except OSError as e: print(e.errno)`,
      );
      assert.equal(stdout, '1\n1\n1\n1\n');
    },
  },
  'see and signal processes outside': {
    async run({ open }) {
      const box = await open();
      const { stdout } = await sh(
        box,
        `kill -0 ${process.pid} 2>/dev/null && echo reached; kill -9 -1; cat /proc/${process.ppid}/cmdline 2>/dev/null; ls -d /proc/[0-9]* | wc -l`,
      );
      assert.ok(!stdout.includes('reached'));
      const seen = await sh(box, 'ls -d /proc/[0-9]* | wc -l');
      assert.ok(Number(seen.stdout) <= 5, `sees ${seen.stdout} processes`);
    },
  },
  'take memory and descriptors from what reports about it': {
    async run({ open }) {
      const box = await open();
      const { stdout, exitCode } = await sh(
        box,
        'for p in $PPID 1 2; do prlimit --pid $p --as=0:0 --nofile=0:0 --data=0:0; done 2>/dev/null; prlimit --nofile=9:9 true && echo here; exit 3',
      );
      assert.equal(stdout, 'here\n');
      assert.equal(exitCode, 3);
    },
  },
  'look into the first process': {
    async run({ open }) {
      const box = await open();
      const { stdout } = await sh(
        box,
        'cat /proc/1/cmdline /proc/1/environ; echo 0 >/proc/1/fd/3; ls /proc/1; kill -9 1; echo here',
      );
      assert.equal(stdout, 'here\n');
    },
  },
  'read the project and the home directory': {
    async run({ open }) {
      const box = await open();
      const result = await box.exec([
        ...['bash', '-c', 'cat "$0/package.json" /etc/shadow; ls -A "$0" "$0/src" "$1/.ssh"; cat "$1"/.*rc; true'],
        ...[process.cwd(), homedir()],
      ]);
      assert.equal(result.stdout, '');
      const elsewhere = await sh(box, 'ls -d /home /var /run /sys /opt /srv /boot /mnt /media');
      assert.equal(elsewhere.stdout, '');
    },
  },
  'find a secret of the environment': {
    async run({ open }) {
      process.env.ANNEAL_TEST_SECRET = 'secret-of-the-environment';
      try {
        const box = await open();
        const { stdout } = await sh(box, 'env; cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n"');
        assert.match(stdout, /HOME=/);
        assert.ok(!stdout.includes('secret-of-the-environment'));
      } finally {
        delete process.env.ANNEAL_TEST_SECRET;
      }
    },
  },
  'write outside the work directory': {
    async run({ open }) {
      const box = await open();
      const { stdout } = await sh(
        box,
        'for d in / /usr /etc /dev /bin /proc /proc/1 /usr/src /lib; do touch $d/x 2>/dev/null && echo wrote $d; done; mkdir /new 2>/dev/null && echo made',
      );
      assert.equal(stdout, '');
    },
  },
  'a fork bomb': {
    async run({ open }) {
      const box = await open({ seconds: 1 });
      await sh(box, 'bomb() { bomb | bomb & }; bomb; sleep 30');
      assert.equal((await sh(box, 'echo alive')).stdout, 'alive\n');
      const { stdout } = await node(
        box,
        `let failed = 0; for (let i = 0; i < 64; i++) { const c = require('child_process').spawn('/bin/sleep', ['30']);
         c.on('error', () => {}); failed += c.pid === undefined } process.stdout.write(String(failed), () => process.exit())`,
      );
      assert.ok(Number(stdout) >= 64 - 16 - 12, `${stdout} of 64 forks failed`);
    },
  },
  'a memory bomb in one process': {
    needsPython: true,
    async run({ open }) {
      const box = await open();
      const { stdout, exitCode } = await python(box, 'b = bytearray(400 << 20); print(len(b))');
      assert.equal(stdout, '');
      assert.equal(exitCode, 1);
    },
  },
  'a memory bomb in memory that is shared': {
    needsPython: true,
    async run({ open }) {
      const box = await open();
      const script =
        'import mmap, time\nm = mmap.mmap(-1, 300 << 20)\nfor i in range(0, len(m), 4096): m[i] = 1\ntime.sleep(30)';
      const { killedBy } = await box.exec(['bash', '-c', 'python3 -c "$0"; true', script]);
      assert.equal(killedBy, 'memory');
    },
  },
  'a memory bomb of many small processes': {
    async run({ open }) {
      const box = await open({ processes: 40 });
      // without a newline tail keeps all that it is given
      const hold = '(head -c 30000000 /dev/zero; sleep 30) | tail -n 1 >/dev/null &';
      const { killedBy } = await sh(box, `for i in 1 2 3 4 5 6; do ${hold} done; wait`);
      assert.equal(killedBy, 'memory');
    },
  },
  'memory that no limit counts': {
    needsPython: true,
    async run({ open }) {
      const box = await open();
      await refused(box, 29, 194, '0, ctypes.c_size_t(1 << 30), 0o1600');
      await refused(box, 319, 279, 'b"x", 0');
      await refused(box, 68, 186, '0, 0o1600');
    },
  },
  'a disk bomb of several files': {
    async run({ open }) {
      const box = await open();
      const { killedBy } = await sh(box, 'for i in 1 2 3 4 5 6; do head -c 4000000 /dev/zero >f$i; done; sleep 30');
      assert.equal(killedBy, 'disk');
    },
  },
  'a disk bomb that is over before anyone looks': {
    async run({ open }) {
      const box = await open();
      const { killedBy, exitCode } = await sh(box, 'for i in 1 2 3 4; do head -c 4000000 /dev/zero >f$i; done');
      assert.equal(killedBy, 'disk');
      assert.equal(exitCode, null);
    },
  },
  'a disk bomb of one file': {
    async run({ open }) {
      const box = await open();
      const { exitCode } = await sh(box, 'head -c 40000000 /dev/zero >f');
      assert.notEqual(exitCode, 0);
      assert.ok(Number((await sh(box, 'stat -c %s f')).stdout) <= 8 * 2 ** 20);
    },
  },
  'a disk bomb of files without names': {
    async run({ open }) {
      const box = await open();
      const { killedBy } = await sh(
        box,
        'for i in 3 4 5 6 7 8; do eval "exec $i>f"; rm f; head -c 4000000 /dev/zero >&$i; done; sleep 30',
      );
      assert.equal(killedBy, 'disk');
    },
  },
  'a disk bomb of empty files': {
    async run({ open }) {
      const box = await open({ seconds: 90 });
      const { killedBy } = await node(
        box,
        `const fs = require('fs'); for (let i = 0; i < 10_100; i++) fs.closeSync(fs.openSync('f' + i, 'w')); setInterval(() => {}, 1000)`,
      );
      assert.equal(killedBy, 'disk');
    },
  },
  'a disk bomb in memory': {
    async run({ open }) {
      const box = await open();
      const { stdout } = await sh(
        box,
        'for d in /tmp /dev/shm; do for i in 1 2 3 4; do head -c 4000000 /dev/zero >$d/f$i 2>/dev/null; done; cat $d/f* | wc -c; done',
      );
      const sizes = stdout.trim().split('\n').map(Number);
      assert.ok(sizes.length === 2 && sizes.every((size) => size <= 8 * 2 ** 20), stdout);
    },
  },
  'a flood of output': {
    async run({ open }) {
      const box = await open();
      const result = await sh(box, 'yes & yes >&2 & wait');
      assert.equal(result.killedBy, 'output');
      assert.ok(result.stdout.length + result.stderr.length <= 64 * 1024);
    },
  },
  'a child in the background that keeps the output open': {
    async run({ open }) {
      const box = await open();
      const result = await sh(box, 'sleep 300 & echo answer');
      assert.deepEqual([result.stdout, result.exitCode, result.killedBy], ['answer\n', 0, null]);
    },
  },
  'a daemon of a session of its own': {
    async run({ open }) {
      const box = await open();
      const before = new Set(descendants(process.pid));
      await sh(box, 'for i in 1 2 3; do setsid nohup setsid sleep 300 >/dev/null 2>&1 </dev/null & done; disown -a');
      assert.deepEqual(
        descendants(process.pid).filter((pid) => !before.has(pid)),
        [],
      );
    },
  },
  'sleep through signals': {
    async run({ open }) {
      const box = await open();
      const result = await sh(box, 'trap "" TERM INT HUP QUIT XCPU; while :; do sleep 300; done', { seconds: 0.5 });
      assert.deepEqual([result.killedBy, result.exitCode], ['time', null]);
    },
  },
  'trace another process': {
    needsPython: true,
    async run({ open }) {
      const box = await open();
      await refused(box, 101, 117, '16, 1, 0, 0');
      await refused(box, 310, 270, '1, 0, 0, 0, 0, 0');
      await refused(box, 438, 438, '0, 0, 0');
    },
  },
  'make namespaces and mounts': {
    needsPython: true,
    async run({ open }) {
      const box = await open();
      await refused(box, 272, 97, '0x10000000');
      await refused(box, 56, 220, '0x10000000 | 17, 0, 0, 0, 0');
      await refused(box, 308, 268, '0, 0');
      await refused(box, 165, 40, 'b"tmpfs", b"/tmp", b"tmpfs", 0, 0');
      assert.equal((await sh(box, 'unshare -Ur id')).stdout, '');
    },
  },
  'use the parts of the kernel with the most holes': {
    needsPython: true,
    async run({ open }) {
      const box = await open();
      for (const [x64, arm64] of [
        [321, 280],
        [250, 219],
        [248, 217],
        [425, 425],
        [298, 241],
        [323, 282],
        [246, 104],
        [169, 142],
        [175, 105],
      ] as const) {
        await refused(box, x64, arm64, '0, 0, 0, 0, 0, 0');
      }
    },
  },
  'gain privileges': {
    async run({ open }) {
      const box = await open();
      const { stdout } = await sh(
        box,
        'id -u; grep -E "^(CapEff|CapPrm|CapBnd|NoNewPrivs)" /proc/self/status | tr -s "\\t" " "; cp /bin/bash b; chmod u+s b; ./b -p -c "id -u"; mknod d b 8 0 2>/dev/null && echo device; su -c id </dev/null',
      );
      const [user, ...rest] = stdout.trim().split('\n');
      assert.notEqual(user, '0');
      const caps = rest.filter((line) => line.startsWith('Cap')).map((line) => line.split(' ')[1]);
      // an ordinary user's bounding set means nothing without a way to gain
      assert.deepEqual(caps.slice(0, 2), ['0000000000000000', '0000000000000000']);
      assert.ok(rest.includes('NoNewPrivs: 1'));
      assert.equal(rest.at(-1), user);
    },
  },
  'have links, pipes and devices read': {
    async run({ open }) {
      const box = await open();
      await sh(
        box,
        'ln -s /etc/passwd link; ln -s / way; ln -s . self; mkfifo pipe; ln -s /dev/zero device; ln /usr/bin/env hard; ln /etc/passwd hard2; mkdir d; echo fine >d/file; ln d/file d/second',
      );
      for (const path of ['link', 'way/etc/passwd', 'self/d/file', 'pipe', 'device', 'hard', 'hard2', 'd']) {
        assert.equal(await box.readFile(path), null, path);
      }
      for (const path of ['../passwd', '/etc/passwd', 'd/../../passwd', 'no\0', '']) {
        await assert.rejects(box.readFile(path), { name: 'GymError' }, path);
      }
      assert.equal(String(Buffer.from((await box.readFile('d/second')) ?? '')), 'fine\n');
      for (const path of ['link', 'way/tmp/x', '../x', '/tmp/x', 'd', '']) {
        await assert.rejects(box.writeFile(path, 'x'), { name: 'GymError' }, path);
      }
    },
  },
  'swap a directory for a link while it is read': {
    async run({ open }) {
      const box = await open({ seconds: 20 });
      await sh(box, 'mkdir -p a/etc; echo inside >a/etc/passwd; ln -s / b');
      const swapping = box.exec([
        'node',
        '-e',
        `const fs = require('fs'); fs.writeFileSync('going', '');
        while (!fs.existsSync('stop')) { fs.renameSync('a', 'c'); fs.renameSync('b', 'a'); fs.renameSync('a', 'b'); fs.renameSync('c', 'a') }`,
      ]);
      while ((await box.readFile('going')) === null);
      const seen = new Set<string>();
      for (let attempt = 0; attempt < 500; attempt++) {
        const content = await box.readFile('a/etc/passwd');
        if (content !== null) seen.add(Buffer.from(content).toString());
      }
      await box.writeFile('stop', '');
      await swapping;
      assert.deepEqual(
        [...seen].filter((content) => content !== 'inside\n'),
        [],
      );
    },
  },
  'make the work directory unusable': {
    async run({ open }) {
      const box = await open();
      await sh(box, 'mkdir closed; echo x >closed/f; chmod 000 closed; chmod 000 .');
      const after = await sh(box, 'pwd && ls');
      assert.deepEqual([after.exitCode, after.stdout], [0, '/work\nclosed\n']);
      const there = await box.exec(['pwd'], { cwd: 'nowhere' });
      assert.notEqual(there.exitCode, 0);
      // far deeper than a path can say
      await node(
        box,
        `const name = 'n'.repeat(200); for (let i = 0; i < 100; i++) { require('fs').mkdirSync(name); process.chdir(name) }`,
      );
    },
  },
  'kill everything it can': {
    async run({ open }) {
      const box = await open();
      const result = await sh(box, 'kill -9 1; kill -9 0; kill -9 -1; echo still here');
      assert.deepEqual([result.exitCode, result.killedBy], [null, null]);
    },
  },
  'see another sandbox': {
    async run({ open }) {
      const [one, other] = await Promise.all([open(), open()]);
      await sh(one, 'echo secret >mine; echo secret >/tmp/mine; echo secret >/dev/shm/mine; chmod 777 . mine');
      assert.equal((await sh(other, 'cat mine /tmp/mine /dev/shm/mine; find / -name mine 2>/dev/null')).stdout, '');
    },
  },
};

/** Those that can be tried here. */
export const attackNames = Object.keys(attacks).filter(
  (name) => !attacks[name]!.needsPython || interpreters().python !== null,
);
