import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CaseSet, type Environment, type Gym, openGym } from '../../../src/gym/index.js';
import { audit } from '../../../src/gym/qa/index.js';
import { describeIsolatedPython } from '../support.js';
import { environmentWith } from './support.js';

describeIsolatedPython('anneal gym audit', () => {
  let gym: Gym;
  let environment: Environment & { remove(): Promise<void> };
  beforeAll(async () => {
    gym = await openGym({ workers: 1 });
    environment = await environmentWith();
  });
  afterAll(async () => {
    await gym.dispose();
    await environment.remove();
  });

  const named = (name: string, changes: Partial<Environment> = {}): Environment => ({
    ...environment,
    name,
    ...changes,
  });

  it('finds nothing wrong with one good environment, and says what it hashed', async () => {
    const report = await audit(gym, [named('one')], { canaryRatio: 0, holdoutRatio: 1, publicEvalRatio: 0 });
    expect(report).toMatchObject({ environments: 1, leaks: [], duplicateTasks: [], contaminationRisk: 'low' });
    expect(report.manifest[0]).toMatchObject({
      environment: 'one',
      split: 'private_holdout',
      contentHash: environment.contentHash,
      provenance: 'Written for this test.',
    });
    expect(Object.keys(report.manifest[0]!.caseHashes)).toEqual(expect.arrayContaining(['train', 'eval', 'holdout']));
    expect(report.manifest[0]!.taskHash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('finds a task that is private here and public there, whatever its spaces and case', async () => {
    const copy = named('copy', { task: `  ${environment.task.toUpperCase()}\n\n`, contentHash: 'other' });
    const overrides = { one: 'private_holdout', copy: 'public_train' } as const;
    const report = await audit(gym, [named('one'), copy], { overrides });
    expect(report.duplicateTasks).toEqual([['one', 'copy']]);
    expect(report.leaks).toEqual([
      { kind: 'task', severity: 'critical', message: 'the same task is private in one and public in copy' },
    ]);
    expect(report.contaminationRisk).toBe('critical');
    expect(report.recommendations.join()).toContain('--split');
  });

  it('finds an input that two variants share', async () => {
    const leaking: Gym = {
      ...gym,
      async cases(target, options): Promise<CaseSet> {
        const set = await gym.cases(target, options);
        const shared = { id: 'shared', input: [[1, 2]], weight: 1, group: null };
        return { ...set, cases: [...set.cases, shared] };
      },
    };
    const report = await audit(leaking, [named('one')]);
    expect(report.leaks.map((leak) => leak.message)).toContain('one: 1 inputs stand in both train and holdout');
  });

  it('notes what makes an environment weak', async () => {
    const weak = named('weak', { generator: null, badAnswers: [], floor: 0.5, licence: '' });
    const { manifest, recommendations } = await audit(gym, [weak]);
    expect(manifest[0]!.notes).toEqual(
      expect.arrayContaining(['no known-bad answers', 'worthless answers may earn 0.5', 'no licence']),
    );
    expect(recommendations.join()).toContain('Give a generator to weak');
  });
});
