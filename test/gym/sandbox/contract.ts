import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Sandbox,
  type SandboxLimits,
  type SandboxProvider,
  sandboxNames,
} from '../../../src/gym/sandbox/types.js';

const limits: SandboxLimits = { seconds: 10, memoryMb: 512, processes: 4096, outputKb: 64, diskMb: 16 };

/** What every sandbox does, wherever it is. */
export function sandboxContract(name: string, open: () => Promise<SandboxProvider>): void {
  describe(`the sandbox ${name}`, () => {
    let provider: SandboxProvider;
    let box: Sandbox;
    beforeAll(async () => {
      provider = await open();
      box = await provider.create({
        limits,
        files: { 'a.txt': 'one\n', 'deep/er/b.bin': new Uint8Array([0, 255, 10]) },
      });
    });
    afterAll(() => provider?.dispose());

    const sh = (script: string, options?: Parameters<Sandbox['exec']>[1]) => box.exec(['sh', '-c', script], options);
    const text = async (path: string) => new TextDecoder().decode((await box.readFile(path)) ?? undefined);

    it('starts commands in its work directory, where its files are', async () => {
      expect(await sh('pwd; cat a.txt; wc -c < deep/er/b.bin')).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(new RegExp(`^${box.directory}\none\n\\s*3\n$`)),
        stderr: '',
        killedBy: null,
      });
    });

    it('gives exit codes, and what was written on both outputs', async () => {
      expect(await sh('echo out; echo err >&2; exit 3')).toMatchObject({
        exitCode: 3,
        stdout: 'out\n',
        stderr: 'err\n',
      });
    });

    it('passes arguments, environment, folder and stdin as they are', async () => {
      const odd = ` $(id) 'a' "b" \`c\` \\ é\n*`;
      const result = await box.exec(['sh', '-c', 'cat; printf "%s|%s|%s" "$1" "$ODD" "$PWD"', 'sh', odd], {
        stdin: odd,
        env: { ODD: odd },
        cwd: 'deep',
      });
      expect(result.stdout).toBe(`${odd}${odd}|${odd}|${box.directory}/deep`);
    });

    it('has nothing of our environment', async () => {
      process.env.ANNEAL_TEST_SECRET = 'secret-value';
      try {
        expect((await sh('env')).stdout).not.toContain('secret-value');
      } finally {
        delete process.env.ANNEAL_TEST_SECRET;
      }
    });

    it('keeps files from command to command', async () => {
      await sh('mkdir -p made && printf hello > made/by-command');
      await box.writeFile('made/by/us.sh', 'echo from a file\n', { mode: 0o755 });
      expect(await text('made/by-command')).toBe('hello');
      expect(
        (await sh('./made/by/us.sh 2>&1 || sh made/by/us.sh; test -x made/by/us.sh && echo executable')).stdout,
      ).toContain('executable');
      await box.writeFile('a.txt', 'two');
      expect(await text('a.txt')).toBe('two');
    });

    it('reads regular files only, and never through a link', async () => {
      await sh('ln -s /etc/passwd link; ln -s /etc way; mkfifo pipe');
      expect(await box.readFile('nothing')).toBeNull();
      expect(await box.readFile('link')).toBeNull();
      expect(await box.readFile('way/passwd')).toBeNull();
      expect(await box.readFile('deep')).toBeNull();
      expect(await box.readFile('pipe')).toBeNull();
    });

    it('does not write through a link that leads out', async () => {
      await sh('ln -sfn /tmp out-of-here; ln -sf /tmp/anneal-contract-victim leads-out');
      await box.writeFile('leads-out', 'x').catch(() => undefined);
      await expect(box.writeFile('out-of-here/anneal-contract-victim', 'x')).rejects.toThrow();
      expect((await sh('cat /tmp/anneal-contract-victim 2>/dev/null')).stdout).toBe('');
    });

    it('refuses paths that lead out', async () => {
      await expect(box.readFile('../x')).rejects.toThrow();
      await expect(box.readFile('/etc/passwd')).rejects.toThrow();
      await expect(box.writeFile('/tmp/x', '')).rejects.toThrow();
    });

    it('ends a command when its time is over, with what it started', async () => {
      const result = await sh('sleep 300 & echo started; sleep 300', { seconds: 1 });
      expect(result).toMatchObject({ exitCode: null, killedBy: 'time', stdout: 'started\n' });
      expect(result.ms).toBeLessThan(8000);
    });

    it('does not wait for what a command left in the background, and ends it', async () => {
      const result = await sh('(sleep 300; echo late) & echo $!');
      expect(result).toMatchObject({ exitCode: 0, killedBy: null });
      expect(result.ms).toBeLessThan(8000);
    });

    it('cuts a flood of output off', async () => {
      const result = await sh('yes', { seconds: 5 });
      expect(result.killedBy).toBe('output');
      expect(result.exitCode).toBeNull();
      expect(result.stdout.length).toBeLessThanOrEqual(limits.outputKb * 1024);
      expect(result.stdout.length).toBeGreaterThan(1024);
    });

    it('says null for a command that a signal ended', async () => {
      expect(await sh('kill -9 $$')).toMatchObject({ exitCode: null, killedBy: null });
    });

    it('stops waiting when asked to', async () => {
      const stop = new AbortController();
      const running = sh('sleep 300', { signal: stop.signal });
      stop.abort(new Error('enough'));
      await expect(running).rejects.toThrow('enough');
    });

    it('says what is in force', async () => {
      const capabilities = await provider.capabilities();
      expect(sandboxNames).toContain(capabilities.name);
      expect(capabilities.name).toBe(provider.name);
      expect(capabilities.inForce.length).toBeGreaterThan(0);
      expect(capabilities.languages.bash).toMatch(/\d/);
    });

    it('keeps sandboxes apart, and is of no use after disposal', async () => {
      const other = await provider.create({ limits });
      await other.writeFile('mine', 'x');
      expect(await box.readFile('mine')).toBeNull();
      await other.dispose();
      await other.dispose();
      await expect(other.exec(['true'])).rejects.toMatchObject({ name: 'SandboxError' });
    });
  });
}
