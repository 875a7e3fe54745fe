import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gym, loadEnvironment, openGym } from '../../../src/gym/index.js';
import { createLimiter } from '../../../src/gym/limiter.js';
import { attackLanguages, loadAttacks } from '../../../src/gym/qa/attacks.js';
import { type Canary, openCanary } from '../../../src/gym/qa/canary.js';
import { runAttacks } from '../../../src/gym/qa/run-attacks.js';
import { describeIsolatedPython } from '../support.js';

// A function, a file that is left by an episode, and a text. `anneal gym qa --all` tries all attacks on all environments.
const names = ['coin_change', 'multi_turn/debug_fix', 'cyber/web_path_traversal_toy'];

const limited = createLimiter(5);

describeIsolatedPython('attacks', () => {
  let gym: Gym;
  let canary: Canary;
  beforeAll(async () => {
    gym = await openGym({ workers: 4 });
    canary = await openCanary();
  });
  afterAll(async () => {
    await canary.close();
    await gym.dispose();
  });

  test.each(names)('on %s: none earns more than it is worth, and none reaches anything outside', async (name) => {
    const environment = await loadEnvironment(name);
    const languages = attackLanguages(environment);
    const attacks = (await loadAttacks()).filter(({ language }) => languages.includes(language));
    expect(attacks.length).toBeGreaterThan(0);
    const results = await runAttacks(gym, environment, attacks, canary, (items, each) =>
      Promise.all(items.map((item) => limited(() => each(item)))),
    );
    const rows = results.map(
      ({ language, name: attack, answers, score, success }) =>
        `${`${language} ${attack}`.padEnd(31)} ${String(answers).padStart(2)}  score ${score.toFixed(2)}  ${success ?? 'nothing reached'}`,
    );
    console.log(`${name}: attack, answers, best score, what it reached\n${rows.join('\n')}`);
    expect(results.filter(({ success }) => success !== null)).toEqual([]);
    expect(await canary.touched()).toEqual([]);
  });
});
