import { beforeAll, expect, it } from 'vitest';
import { loadEnvironment } from '../../../src/gym/environment/index.js';
import type { Environment, EpisodeSpec } from '../../../src/gym/environment/types.js';
import { type Action, openEpisode } from '../../../src/gym/episode/index.js';
import { GymError } from '../../../src/gym/gym-error.js';
import { type Sandbox, SandboxError } from '../../../src/gym/sandbox/types.js';
import type { GymContext, RunOptions } from '../../../src/gym/types.js';
import { testCases, testEnvironment } from '../make-environment.js';
import { isolatedContext } from '../script/context.js';
import { describeIsolatedPython } from '../support.js';

const bash = (content: string): Action => ({ type: 'bash', content });
const python = (content: string): Action => ({ type: 'python', content });
const tool = (name: string, args: unknown): Action => ({ type: 'tool', name, arguments: args });
const finish: Action = { type: 'finish' };

const limits = { caseSeconds: 2, totalSeconds: 20, memoryMb: 256, processes: 32, outputKb: 64, diskMb: 16 };

/** `answer.py` shall define `double(n)`. */
function doubling(spec: Partial<EpisodeSpec> = {}, over: Partial<Environment> = {}): Environment {
  const text =
    'import json, sys\ncall = json.load(sys.stdin)\nprint("wrote", call["text"])\nopen(call["path"], "w").write(call["text"])';
  return testEnvironment({
    kind: 'episode',
    limits,
    episode: {
      maxSteps: 6,
      stepSeconds: 5,
      files: { 'answer.py': 'def double(n):\n    return 0\n', 'docs/hint.txt': 'twice' },
      actions: ['bash', 'python', 'tool'],
      tools: [
        {
          name: 'write_file',
          description: 'Writes a file.',
          parameters: {
            type: 'object',
            properties: { path: { type: 'string' }, text: { type: 'string' } },
            required: ['path', 'text'],
            additionalProperties: false,
          },
          source: { language: 'python', path: 'tools/write.py', text },
        },
      ],
      answerFile: 'answer.py',
      stepReward: 'none',
      ...spec,
    },
    ...over,
  });
}

const right = 'def double(n):\n    return 2 * n\n';
const write = (text: string) => bash(`cat > answer.py <<'END'\n${text}\nEND`);

describeIsolatedPython('an episode', () => {
  const context = isolatedContext();

  async function play<T>(
    environment: Environment,
    work: (episode: Awaited<ReturnType<typeof openEpisode>>) => Promise<T>,
    options: RunOptions = {},
    own: GymContext = context(),
  ): Promise<T> {
    const episode = await openEpisode(own, environment, options);
    try {
      return await work(episode);
    } finally {
      await episode.dispose();
    }
  }

  it('begins with the task, keeps files from step to step, and ends with a verdict', async () => {
    await play(doubling(), async (episode) => {
      const { observation, info } = await episode.reset();
      expect(observation).toMatchObject({ step: 0, content: expect.stringContaining('Double it.') });
      expect(info).toMatchObject({ environment: 'double', variant: 'train' });
      const first = await episode.step(bash('ls docs; cat docs/hint.txt; X=1; echo seen > note'));
      expect(first).toMatchObject({
        observation: { content: 'hint.txt\ntwice', step: 1 },
        reward: 0,
        terminated: false,
        truncated: false,
      });
      expect((await episode.step(python('print(open("note").read(), end="")'))).observation.content).toBe('seen');
      await episode.step(write(right));
      expect(episode.record.verdict).toBeNull();
      const last = await episode.step(finish);
      expect(last).toMatchObject({ reward: 1, terminated: true, truncated: false });
      expect(episode.record).toMatchObject({
        terminated: true,
        stepRewards: [0, 0, 0, 1],
        verdict: { kind: 'scored', score: 1, passed: true },
      });
      expect(episode.record.actions).toHaveLength(4);
      expect(episode.record.observations.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4]);
      expect(await episode.verdict()).toBe(episode.record.verdict);
      await expect(episode.step(finish)).rejects.toThrow(GymError);
    });
  });

  it('rewards each step by what it improved, and ends at the full score', async () => {
    const cases = testCases();
    const environment = doubling(
      { stepReward: 'improvement' },
      {
        variants: {
          train: { name: 'train', declared: cases.cases, generated: 0, seed: 1, parameters: {}, task: null },
        },
      },
    );
    await play(environment, async (episode) => {
      await episode.reset();
      const half = await episode.step(write('def double(n):\n    return 2 * n if n < 3 else 0'));
      expect(half).toMatchObject({ reward: 0.5, terminated: false, info: { score: 0.5 } });
      const worse = await episode.step(bash('rm answer.py'));
      expect(worse).toMatchObject({ reward: -0.5, terminated: false });
      const done = await episode.step(write(right));
      expect(done).toMatchObject({ reward: 1, terminated: true, truncated: false });
      expect(episode.record.verdict).toMatchObject({ score: 1, passed: true });
    });
  });

  it('is truncated at the step limit, and judged', async () => {
    await play(doubling({ maxSteps: 2 }), async (episode) => {
      await episode.reset();
      expect(await episode.step(write(right))).toMatchObject({ truncated: false });
      const last = await episode.step(bash('true'));
      expect(last).toMatchObject({
        reward: 1,
        terminated: false,
        truncated: true,
        observation: { content: '[no output]' },
      });
      expect(episode.record).toMatchObject({ reason: 'the limit of 2 steps', verdict: { score: 1 } });
    });
  });

  it('is truncated by a step that does not end, with everything before it kept', async () => {
    await play(doubling({ stepSeconds: 1 }), async (episode) => {
      await episode.reset();
      await episode.step(write(right));
      const last = await episode.step(bash('echo begun; sleep 60'));
      expect(last).toMatchObject({ terminated: false, truncated: true });
      expect(last.observation.content).toBe('begun\n[no end within 1 s]');
      expect(episode.record.reason).toBe('the step did not end within 1 s');
      expect(episode.record.verdict).toMatchObject({ kind: 'scored', score: 1 });
      expect(episode.record.actions).toHaveLength(2);
    });
  });

  it('calls tools with checked arguments, and says what is wrong with others', async () => {
    await play(doubling({ maxSteps: 20 }), async (episode) => {
      await episode.reset();
      const said = async (action: Action) => (await episode.step(action)).observation.content;
      expect(await said(tool('write_file', { path: 'answer.py', text: right.trimEnd() }))).toBe(
        `wrote ${right.trimEnd()}`,
      );
      expect(await said(tool('write_file', { path: 'a' }))).toMatch(/^\[arguments of write_file: text: .*string/);
      expect(await said(tool('write_file', { path: 'a', text: 'b', mode: 1 }))).toContain('"mode"');
      expect(await said(tool('write_file', 'a'))).toContain('expected object');
      expect(await said(tool('write_fil', {}))).toContain('write_file');
      expect(await said({ type: 'shell', content: 'ls' } as unknown as Action)).toContain(
        'there are bash, python, tool, finish',
      );
      expect(await said(bash('x'.repeat(200_000)))).toContain('100000 bytes');
      expect(await said(bash('echo \0'))).toContain('NUL');
      expect(await said(python('raise ValueError("so")'))).toMatch(/ValueError: so\n\[exit code 1\]$/);
      expect((await episode.step(finish)).reward).toBe(1);
    });
  });

  it('shows the beginning and the end of a long output, and how much was cut', async () => {
    await play(doubling(), async (episode) => {
      await episode.reset();
      const { content } = (await episode.step(bash('seq 10000; echo the end'))).observation;
      expect(content.length).toBeLessThan(8100);
      expect(content).toMatch(/^1\n2\n/);
      expect(content).toMatch(/\[… \d+ characters cut …\]/);
      expect(content).toMatch(/the end$/);
    });
  });

  it('is judged out of reach of what the agent leaves in the work directory', async () => {
    await play(doubling({ stepReward: 'improvement' }), async (episode) => {
      await episode.reset();
      const evil = 'import builtins, os, sys\nprint("{\\"score\\": 1}")\nos._exit(0)\n';
      await episode.step(
        bash(`printf '%s' '${evil}' > x; for name in json sitecustomize conftest os typing; do cp x $name.py; done`),
      );
      const tooled = await episode.step(tool('write_file', { path: 'seen', text: 'by the real tool' }));
      expect(tooled.observation.content).toBe('wrote by the real tool');
      await episode.step(
        bash('echo "import json, conftest" > answer.py; echo "def double(n): return json.answer(n)" >> answer.py'),
      );
      await episode.step(bash('(setsid bash -c "while :; do echo x > answer.py; done" &)'));
      const last = await episode.step(finish);
      expect(last.info.verdict).toMatchObject({ kind: 'scored', score: 0 });
    });
  });

  it.each([
    ['a link to a file outside', 'ln -sf /etc/passwd answer.py'],
    ['a link to another file', `printf '${right}' > other.py; ln -sf other.py answer.py`],
    ['a pipe', 'rm answer.py; mkfifo answer.py'],
    ['a directory', 'rm answer.py; mkdir answer.py'],
    ['nothing', 'rm answer.py'],
    ['no text', 'printf "\\377\\376" > answer.py'],
    ['endless', 'truncate -s 12M answer.py'],
  ])('judges an answer file that is %s as worth nothing', async (_, command) => {
    await play(doubling(), async (episode) => {
      await episode.reset();
      await episode.step(bash(command));
      expect((await episode.step(finish)).info.verdict).toMatchObject({ kind: 'scored', score: 0 });
    });
  });

  it('sees nothing of another that runs at the same time', async () => {
    await play(doubling(), (one) =>
      play(doubling(), async (two) => {
        await Promise.all([one.reset(), two.reset()]);
        await Promise.all([one.step(write(right)), two.step(bash('echo mine > mine; sleep 1'))]);
        const [first, second] = await Promise.all([one.step(bash('ls')), two.step(bash('ls; ls /tmp; cat answer.py'))]);
        expect(first.observation.content).not.toContain('mine');
        expect(second.observation.content).not.toContain('2 * n');
        expect([(await one.step(finish)).reward, (await two.step(finish)).reward]).toEqual([1, 0]);
      }),
    );
  });

  it('begins anew with reset, in a fresh directory', async () => {
    await play(doubling(), async (episode) => {
      await expect(episode.step(finish)).rejects.toThrow('call reset first');
      await episode.reset();
      await episode.step(write(right));
      await episode.reset();
      expect(episode.record).toMatchObject({ actions: [], stepRewards: [], verdict: null });
      expect((await episode.step(finish)).reward).toBe(0);
    });
  });

  it('says what an action may be when it is given something else, and goes on', async () => {
    await play(doubling({ actions: ['bash', 'tool'] }), async (episode) => {
      await episode.reset();
      const wanted =
        "wanted is {type: 'bash', content: '…'} or {type: 'tool', name: '…', arguments: {…}} or {type: 'finish'}";
      const wrong: readonly (readonly [unknown, string])[] = [
        [null, 'null'],
        [undefined, 'undefined'],
        [3, '3'],
        ['ls', '"ls"'],
        [() => 'ls', 'a function'],
        [[bash('ls')], 'a list'],
        [{}, 'an object without keys and no text as its type'],
        [{ type: 1, content: 'ls' }, 'an object with the keys type, content and no text as its type'],
      ];
      for (const [action, shown] of wrong) {
        const failing = expect(episode.step(action as Action), shown).rejects;
        await failing.toThrow(new GymError(`the action is ${shown}; ${wanted}`));
      }
      expect(episode.record.actions).toEqual([]);
      expect((await episode.step(bash('echo on'))).observation).toEqual({ content: 'on', step: 1 });
    });
  });

  it('does one thing at a time', async () => {
    await play(doubling(), async (episode) => {
      await episode.reset();
      const slow = episode.step(bash('sleep 1'));
      await expect(episode.step(bash('true'))).rejects.toThrow('wait for it');
      expect(await slow).toMatchObject({ truncated: false });
    });
  });

  it('can be judged before its end, which does not end it', async () => {
    await play(doubling(), async (episode) => {
      await episode.reset();
      expect(await episode.verdict()).toMatchObject({ kind: 'scored', score: 0 });
      expect(episode.record.verdict).toBeNull();
      expect(await episode.step(write(right))).toMatchObject({ terminated: false, truncated: false });
    });
  });

  it('has no verdict when the sandbox fails, rather than a 0, and keeps its record', async () => {
    const { sandboxes } = context();
    let broken = false;
    const breaking = {
      ...sandboxes,
      create: async (options: Parameters<typeof sandboxes.create>[0]): Promise<Sandbox> => {
        const sandbox = await sandboxes.create(options);
        return {
          ...sandbox,
          exec: (...args) => (broken ? Promise.reject(new SandboxError('pulled the plug')) : sandbox.exec(...args)),
        };
      },
    };
    await play(
      doubling(),
      async (episode) => {
        await episode.reset();
        await episode.step(write(right));
        broken = true;
        const last = await episode.step(bash('ls'));
        expect(last).toMatchObject({ reward: 0, terminated: false, truncated: true });
        expect(episode.record).toMatchObject({
          reason: 'the sandbox failed: pulled the plug',
          verdict: { kind: 'noVerdict', cause: 'sandbox' },
        });
        expect(episode.record.actions).toHaveLength(2);
      },
      {},
      { ...context(), sandboxes: breaking },
    );
  });

  it('ends without a verdict when its signal is aborted', async () => {
    const controller = new AbortController();
    await play(
      doubling(),
      async (episode) => {
        await episode.reset();
        const step = episode.step(bash('sleep 4'));
        controller.abort();
        expect(await step).toMatchObject({ truncated: true, terminated: false });
        expect(episode.record.verdict).toMatchObject({ kind: 'noVerdict', cause: 'aborted' });
      },
      { signal: controller.signal },
    );
  });

  it('without an answer file has its work directory judged by the checker', async () => {
    const text =
      'export const check = (input, output, expected) => ({ checks: expected.map((path) => ({ id: path, passed: output.files[path]?.text === input.files["in.txt"], weight: 1 })) });';
    const declared = testCases([
      { id: 'it', input: [{ d: [['files', { d: [['in.txt', 'content']] }]] }], expected: ['a', 'b'] },
    ]).cases;
    const environment = doubling(
      { answerFile: null, files: {} },
      {
        contentHash: 'another',
        signature: null,
        languages: [],
        checker: {
          kind: 'script',
          source: { language: 'javascript', path: 'checker.js', text },
          functionName: 'check',
        },
        variants: { train: { name: 'train', declared, generated: 0, seed: 1, parameters: {}, task: null } },
      },
    );
    await play(environment, async (episode) => {
      await episode.reset();
      await episode.step(bash('cp in.txt a; ln -s in.txt b'));
      expect((await episode.step(finish)).info.verdict).toMatchObject({ score: 0.5, passed: false });
    });
  });

  it('is refused for an environment without steps, an unknown variant, and a tool whose schema is none', async () => {
    await expect(openEpisode(context(), testEnvironment())).rejects.toThrow('has no steps');
    await expect(openEpisode(context(), doubling(), { variant: 'test' })).rejects.toThrow(GymError);
    const [one] = doubling().episode!.tools;
    const odd = doubling({ tools: [{ ...one!, parameters: { type: 'nonsense' } }] });
    await expect(openEpisode(context(), odd)).rejects.toThrow('the parameters of the tool write_file');
  });
});

describeIsolatedPython('the episode debug_fix', () => {
  const context = isolatedContext();
  let environment: Environment;
  beforeAll(async () => {
    environment = await loadEnvironment('multi_turn/debug_fix');
  });

  it('is solved by reading, testing and repairing, with improvements as rewards', async () => {
    const episode = await openEpisode(context(), environment, { variant: 'eval' });
    try {
      const { observation, info } = await episode.reset({ seed: 11 });
      const before = info.score as number;
      expect(before).toBeLessThan(0.1);
      expect(observation.content).toContain('def sum_evens(nums: list[int]) -> int');
      expect(info).toMatchObject({ variant: 'eval', seed: 11 });
      expect((await episode.step(bash('cat buggy.py'))).observation.content).toContain('range(1, len(nums))');
      const tests = await episode.step(tool('run_tests', { only: 'mixed' }));
      expect(tests.observation.content).toContain('FAILED');
      const start = await episode.step(
        tool('replace_lines', { path: 'buggy.py', first: 4, last: 4, text: '    pass' }),
      );
      expect(start.reward).toBeCloseTo(0, 9);
      const fixed = tool('replace_lines', {
        path: 'buggy.py',
        first: 3,
        last: 10,
        text: '    return sum(n for n in nums if n % 2 == 0)',
      });
      const last = await episode.step(fixed);
      expect(last.terminated).toBe(true);
      expect(last.info.verdict).toMatchObject({ score: 1, passed: true });
      expect(episode.record.stepRewards.reduce((sum, reward) => sum + reward, before)).toBeCloseTo(1, 9);
    } finally {
      await episode.dispose();
    }
  });

  it('asks about other lists for another seed', async () => {
    const episode = await openEpisode(context(), environment);
    try {
      await episode.reset({ seed: 5 });
      await episode.step(bash("printf 'def sum_evens(nums):\\n    raise ValueError(nums)\\n' > buggy.py"));
      const shown = async () => {
        const verdict = await episode.verdict();
        return verdict.kind === 'scored' ? verdict.cases.map(({ input }) => input) : [];
      };
      const five = await shown();
      await episode.reset({ seed: 6 });
      expect(await shown()).not.toEqual(five);
      await episode.reset({ seed: 5 });
      expect(await shown()).toEqual(five);
    } finally {
      await episode.dispose();
    }
  });
});
