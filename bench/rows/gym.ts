// One row of the gym in a process of its own: prints one JSON object.
//   gym.ts coin_change <answers>
// Correct answers in Python to coin_change, all different, judged on 25 cases in full isolation: as many at a time as there are
// workers for the rate, one at a time for the latency.
import { loadEnvironment } from '../../src/gym/environment/index.js';
import { openGym } from '../../src/gym/gym.js';
import { median } from '../measure.js';

const workers = 2;
const [name = 'coin_change', count = '500'] = process.argv.slice(2);
const environment = await loadEnvironment(name);
const gym = await openGym({ workers });
const reference = environment.references.find(({ language }) => language === 'python')!.text;
let made = 0;
const next = () => `${reference}\n# answer ${++made}\n`;

async function judge(answers: readonly string[]): Promise<number> {
  const start = performance.now();
  const verdicts = await gym.runBatch(environment, answers, { language: 'python', variant: 'eval' });
  const ms = performance.now() - start;
  for (const verdict of verdicts) {
    if (verdict.kind !== 'scored' || !verdict.passed || verdict.cases.length !== 25) {
      throw new Error(`not 25 of 25 cases: ${JSON.stringify(verdict).slice(0, 500)}`);
    }
  }
  return ms;
}

const batch = (size: number) => Array.from({ length: size }, next);
await judge(batch(20));
const rates: number[] = [];
const latencies: number[] = [];
for (let round = 0; round < 3; round++) {
  const size = Math.ceil(Number(count) / 3);
  rates.push(size / ((await judge(batch(size))) / 1000));
  for (let answer = 0; answer < 30; answer++) latencies.push(await judge(batch(1)));
}
await gym.dispose();
console.log(JSON.stringify({ answersPerSecond: median(rates), medianMs: median(latencies) }));
