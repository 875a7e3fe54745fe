import { describe, expect, it } from 'vitest';
import { createRewardScorer, type Reward, type RewardFunction, type Watchdog } from '../../../src/rl/index.js';

const reward = (name: string, score: RewardFunction, weight = 1): Reward => ({ name, source: name, weight, score });
const batch = (...completions: string[]) => ({
  prompts: completions.map(() => 'p'),
  completions,
  columns: { row: completions.map((_, index) => index) },
  completionIds: completions.map((text) => new Int32Array(text.length)),
});
const byText = (values: Record<string, number | null>): RewardFunction => {
  return (_, completions) => completions.map((text) => values[text] ?? null);
};

describe('scoring', () => {
  it('sums what the rewards give by weight and leaves null out', async () => {
    const scorer = createRewardScorer([reward('a', byText({ x: 1, y: 2 })), reward('b', byText({ x: 10, z: 5 }), 0.5)]);
    const { verdicts, byReward, failures } = await scorer.score(batch('x', 'y', 'z', 'w'));
    expect(verdicts).toEqual([
      { kind: 'scored', reward: 6 },
      { kind: 'scored', reward: 2 },
      { kind: 'scored', reward: 2.5 },
      { kind: 'noVerdict', cause: 'every reward returned null' },
    ]);
    expect(byReward).toEqual({ a: [1, 2, null, null], b: [10, null, 5, null] });
    expect(failures).toEqual([]);
  });

  it('lets one completion on which a reward throws cost only itself, with its own columns', async () => {
    const seen: unknown[] = [];
    const picky: RewardFunction = (_, completions, columns) =>
      completions.map((text, index) => {
        if (text === 'bad') throw new Error('cannot parse');
        seen.push(columns.row![index]);
        return 1;
      });
    const scorer = createRewardScorer([reward('picky', picky), reward('fine', byText({ good: 1, bad: 1, nice: 1 }))]);
    const { verdicts, failures, byReward } = await scorer.score(batch('good', 'bad', 'nice'));
    expect(verdicts).toEqual([
      { kind: 'scored', reward: 2 },
      { kind: 'noVerdict', cause: 'reward picky failed: cannot parse' },
      { kind: 'scored', reward: 2 },
    ]);
    expect(byReward.picky).toEqual([1, null, 1]);
    expect(failures).toMatchObject([{ reward: 'picky', completions: 1 }]);
    expect(failures[0]!.message).toContain('in the call picky(["p"], ["bad"], { row: [1] })');
    expect(seen).toEqual([0, 0, 2]);
  });

  it('an Error in the place of a number leaves that completion without a verdict, whatever others say', async () => {
    const judge: RewardFunction = (_, completions) =>
      completions.map((text) => (text === 'lost' ? new Error('sandbox: out of space') : 1));
    const scorer = createRewardScorer([reward('judge', judge), reward('fine', byText({ x: 1, lost: 1 }))]);
    const { verdicts, failures } = await scorer.score(batch('x', 'lost'));
    expect(verdicts).toEqual([
      { kind: 'scored', reward: 2 },
      { kind: 'noVerdict', cause: 'reward judge failed: sandbox: out of space' },
    ]);
    expect(failures).toMatchObject([{ reward: 'judge', completions: 1 }]);
  });

  it('takes the verdict from completions with unusable values, and from all when the array does not fit', async () => {
    const odd = createRewardScorer([reward('odd', () => [1, Number.NaN, 1])]);
    expect((await odd.score(batch('a', 'b', 'c'))).verdicts.map(({ kind }) => kind)).toEqual([
      'scored',
      'noVerdict',
      'scored',
    ]);
    const short = createRewardScorer([reward('short', () => [1])]);
    expect((await short.score(batch('a', 'b'))).failures).toMatchObject([{ reward: 'short', completions: 2 }]);
  });

  it('stops the run after several total failures in a row, and only then', async () => {
    let down = true;
    const flaky: RewardFunction = (_, completions) => {
      if (down) throw new Error('service down');
      return completions.map(() => 1);
    };
    const scorer = createRewardScorer([reward('flaky', flaky)], { maxConsecutiveFailures: 2 });
    await scorer.score(batch('a'));
    down = false;
    await scorer.score(batch('a'));
    down = true;
    expect((await scorer.score(batch('a', 'b'))).failures).toMatchObject([{ completions: 2 }]);
    await expect(scorer.score(batch('a'))).rejects.toThrow(
      /flaky gave nothing usable in 2 calls in a row[\s\S]*service down/,
    );
  });

  it('gives up on a slow call without repeating it, and tells the reward through its signal', async () => {
    let calls = 0;
    let told: unknown;
    const slow: RewardFunction = (_, __, ___, { signal }) => {
      calls += 1;
      signal.addEventListener('abort', () => {
        told = signal.reason;
      });
      return new Promise(() => {});
    };
    const scorer = createRewardScorer([{ ...reward('slow', slow), timeoutMs: 1 }]);
    const { verdicts } = await scorer.score(batch('a', 'b'));
    const message = 'no answer within 0.001 s (trl.reward_timeout)';
    expect(verdicts[0]).toEqual({ kind: 'noVerdict', cause: `reward slow failed: ${message}` });
    expect([calls, String(told)]).toEqual([1, `RewardError: ${message}`]);
  });

  it('has a call watched as long as it runs, where the reward has a limit', async () => {
    const log: string[] = [];
    const watchdog: Watchdog = {
      watch(text, afterMs) {
        log.push(`${afterMs}: ${text}`);
        return () => log.push('end');
      },
      close: async () => {},
    };
    const noted: RewardFunction = () => {
      log.push('called');
      return [1];
    };
    const limited = { ...reward('limited', noted), timeoutMs: 60_000 };
    await createRewardScorer([limited], { watchdog }).score(batch('a'));
    expect(log).toEqual([expect.stringContaining('65000: Reward limited has not returned for 65 s'), 'called', 'end']);
    expect(log[0]).toContain('in the call limited(["p"], ["a"], { row: [0] })');
    await createRewardScorer([reward('free', noted)], { watchdog }).score(batch('a'));
    expect(log.slice(3)).toEqual(['called']);
  });

  it('passes an abort of the run on', async () => {
    const controller = new AbortController();
    const scorer = createRewardScorer([reward('slow', () => new Promise(() => {}))]);
    const scoring = scorer.score(batch('a'), { signal: controller.signal });
    controller.abort(new Error('stop'));
    await expect(scoring).rejects.toThrow('stop');
  });

  it('calls nothing for an empty batch', async () => {
    const scorer = createRewardScorer([
      reward('never', () => {
        throw new Error('called');
      }),
    ]);
    expect((await scorer.score(batch())).verdicts).toEqual([]);
  });
});
