import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Sandbox } from '../../../src/gym/sandbox/types.js';
import { collect } from '../../../src/gym/verify/collect.js';
import { type LaunchJob, launch } from '../../../src/gym/verify/launch.js';
import { VerifierError } from '../../../src/gym/verify/verifier-error.js';
import { describeIsolatedPython } from '../support.js';
import { isolatedContext, limits } from './context.js';

const secret = 'the-secret-of-the-service';
const service = {
  input: { secret },
  source: `
import json, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
secret = json.load(sys.stdin)["secret"]
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        print(json.dumps({"path": self.path}))
        self.send_response(200); self.end_headers(); self.wfile.write(b"hello")
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print("ready " + json.dumps({"URL": "http://127.0.0.1:%d" % server.server_port}))
server.serve_forever()
`,
};

/** Of all processes of this machine. */
function commandLines(): string[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, 'utf8')] : [];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });
}

describeIsolatedPython('a command in a sandbox', () => {
  const context = isolatedContext();

  async function inSandbox<T>(
    work: (
      sandbox: Sandbox,
      run: (text: string, options?: Partial<LaunchJob>) => ReturnType<typeof launch>,
    ) => Promise<T>,
    files: Record<string, string> = {},
  ): Promise<T> {
    const sandbox = await context().sandboxes.create({ limits, files });
    try {
      return await work(sandbox, (text, options) =>
        launch(sandbox, { command: ['bash', '-c', text], seconds: 10, outputKb: 64, ...options }),
      );
    } finally {
      await sandbox.dispose();
    }
  }

  it('gets its input, arguments and variables, and its output and exit code come back', async () => {
    await inSandbox(async (_, run) => {
      const result = await run('cat; echo "$NAME" >&2; exit 3', { stdin: 'in', env: { NAME: 'ü' } });
      expect(result).toMatchObject({
        exitCode: 3,
        killedBy: null,
        stdout: 'in',
        stderr: 'ü\n',
        problem: 'exit code 3',
      });
    });
  });

  it('is ended by its own limits of time and output', async () => {
    await inSandbox(async (_, run) => {
      const slow = await run('echo begun; sleep 60', { seconds: 0.5 });
      expect(slow).toMatchObject({
        exitCode: null,
        killedBy: 'time',
        stdout: 'begun\n',
        problem: 'no end within 0.5 s',
      });
      const loud = await run('yes', { outputKb: 4 });
      expect(loud).toMatchObject({ exitCode: null, killedBy: 'output', problem: 'more than 4 KB of output' });
      expect(loud.stdout).toHaveLength(4096);
    });
  });

  it('is not held up by a child that keeps its output open, and nothing is left of it', async () => {
    await inSandbox(async (_, run) => {
      const result = await run('(setsid sleep 71.625 &) ; echo done');
      expect(result).toMatchObject({ exitCode: 0, killedBy: null, stdout: 'done\n' });
      expect(commandLines().filter((line) => line.includes('71.625'))).toEqual([]);
    });
  });

  it('gets a service beside it, whose lines come back', async () => {
    await inSandbox(async (_, run) => {
      const result = await run(
        `python3 -c 'import os,urllib.request as u; print(u.urlopen(os.environ["URL"] + "/a").read().decode())'`,
        { service },
      );
      expect(result).toMatchObject({ exitCode: 0, stdout: 'hello\n', service: [{ path: '/a' }] });
    });
  });

  it('can read neither memory nor descriptors of what runs beside it, nor write into its lines', async () => {
    await inSandbox(async (_, run) => {
      const attack = `
        for pid in $(ls /proc | grep "^[0-9]*$"); do
          [ "$pid" = "$$" ] && continue
          cat /proc/$pid/environ 2>/dev/null | tr '\\0' ' '
          for fd in /proc/$pid/fd/*; do echo '{"path": "/forged"}' > $fd; done 2>/dev/null
          python3 - "$pid" <<'END'
import re, sys
pid = sys.argv[1]
try:
    maps = open("/proc/%s/maps" % pid).read()
    memory = open("/proc/%s/mem" % pid, "rb", 0)
    for low, high in re.findall("^([0-9a-f]+)-([0-9a-f]+) rw", maps, re.M):
        memory.seek(int(low, 16))
        if b"the-secret-of" in memory.read(int(high, 16) - int(low, 16)):
            print("FOUND in", pid, open("/proc/%s/cmdline" % pid).read()[:40])
except (OSError, OverflowError):
    pass
END
        done
        echo over`;
      const result = await run(attack, { service });
      expect(result.stdout.split('\n').filter((line) => line.startsWith('FOUND'))).toEqual([]);
      expect(result.stdout).toContain('over');
      expect(result.stdout).not.toContain(secret);
      expect(result.service).toEqual([]);
    });
  });

  it('that kills what runs beside it has only ended itself', async () => {
    await inSandbox(async (_, run) => {
      const launcher = await run('echo forged; kill -9 $PPID; sleep 5', { service });
      expect(launcher).toMatchObject({
        exitCode: null,
        stdout: '',
        service: [],
        problem: 'it killed the processes around it',
      });
      const interrupted = await run('kill -INT $PPID; echo still here', { service });
      expect(interrupted).toMatchObject({ exitCode: 0, stdout: 'still here\n' });
      const everyone = await run('kill -9 -1');
      expect(everyone.exitCode).toBeNull();
    });
  });

  it('cannot change trusted programs by what it leaves in the work directory', async () => {
    await inSandbox(async (sandbox, run) => {
      const evil = 'import os; os.write(1, b"{}"); os._exit(0)';
      await run(
        'for name in json sitecustomize usercustomize os base64 selectors ctypes; do echo "$EVIL" > $name.py; done; ' +
          'echo "exit 0" > .bashrc; echo "$EVIL" > .pythonrc; mkdir -p .local/lib/python3.11/site-packages; ' +
          'cp sitecustomize.py .local/lib/python3.11/site-packages/usercustomize.py',
        { env: { EVIL: evil } },
      );
      const { files, cut } = await collect(sandbox);
      expect(cut).toBeNull();
      expect(files['json.py']).toMatchObject({ text: `${evil}\n` });
      expect(await run('echo fine')).toMatchObject({ exitCode: 0, stdout: 'fine\n' });
    });
  });

  it('fails as a verifier where the service does not start', async () => {
    await inSandbox(async (_, run) => {
      const broken = run('true', { service: { source: 'raise RuntimeError("no port")', input: null } });
      await expect(broken).rejects.toThrow(VerifierError);
      await expect(run('true', { service: { source: '', input: null } })).rejects.toThrow('before it said `ready`');
    });
  });
});

describeIsolatedPython('what lies in a work directory', () => {
  const context = isolatedContext();

  async function after(text: string) {
    const sandbox = await context().sandboxes.create({ limits });
    try {
      await launch(sandbox, { command: ['bash', '-c', text], seconds: 20, outputKb: 64 });
      return await collect(sandbox);
    } finally {
      await sandbox.dispose();
    }
  }

  it('is named by kind; links are not followed and pipes not opened', async () => {
    const { files } = await after(
      'mkdir d; echo hi > d/f; printf "\\377" > bin; ln -s /etc/passwd link; ln -s / root; mkfifo pipe; chmod 750 d; : > __proto__',
    );
    expect(files).toEqual({
      ['__proto__']: expect.objectContaining({ text: '' }),
      bin: expect.objectContaining({ base64: '/w==' }),
      d: { mode: 0o750, directory: true },
      'd/f': expect.objectContaining({ text: 'hi\n' }),
      link: expect.objectContaining({ link: '/etc/passwd' }),
      root: expect.objectContaining({ link: '/' }),
      pipe: expect.objectContaining({ special: 'fifo' }),
    });
  });

  it('may be hidden, too large, too much or too deep: that is said, and nothing hangs', async () => {
    const hidden = await after('mkdir d; echo x > d/f; chmod 000 d; echo y > g; chmod 000 g; chmod 000 .');
    expect(hidden.files.d).toMatchObject({ unread: expect.any(String) });
    const large = await after('head -c 3000000 /dev/zero > large; truncate -s 20M sparse; echo ok > small');
    expect(large.files).toMatchObject({
      large: { unread: 'longer than 1048576 bytes' },
      sparse: { unread: 'longer than 1048576 bytes' },
      small: { text: 'ok\n' },
    });
    const many = await after('for i in $(seq 4010); do : > f$i; done');
    expect(many.cut).toBe('more than 4000 entries');
    const deep = await after('for i in $(seq 100); do mkdir d; cd d; done');
    expect(Object.keys(deep.files)).toHaveLength(41);
    expect(Object.values(deep.files).at(-1)).toMatchObject({ unread: 'deeper than 40' });
  });
});
