import { createRandom, type Random } from '../random/index.js';

/** A word problem about one person's things, with the way to its answer. */
export interface WordProblem {
  readonly question: string;
  /** The numbers written out, a step a line. */
  readonly steps: readonly string[];
  readonly answer: number;
}

const people = ['Tom', 'Ana', 'Raj', 'Mia', 'Leo', 'Zoe', 'Ken', 'Eva'];
const things = ['apples', 'pens', 'coins', 'books', 'cards', 'shells'];
const gains = ['buys', 'finds', 'gets', 'wins'];
const losses = ['sells', 'loses', 'drops', 'gives away'];
const changes = 3;
const largest = 9;

const pick = <T>(random: Random, items: readonly T[]): T => items[random.below(items.length)]!;

/** A random problem and the numbers it is about, by which two problems are the same to a model that can count. */
function randomProblem(random: Random): { readonly problem: WordProblem; readonly numbers: string } {
  const person = pick(random, people);
  const thing = pick(random, things);
  let count = 1 + random.below(9);
  const clauses = [`has ${count} ${thing}`];
  const steps: string[] = [];
  for (let change = 0; change < changes; change++) {
    const most = { gain: Math.min(9, largest - count), loss: Math.min(9, count) };
    const gain = most.loss === 0 || (most.gain > 0 && random.below(2) === 0);
    const amount = 1 + random.below(gain ? most.gain : most.loss);
    const next = gain ? count + amount : count - amount;
    clauses.push(`${pick(random, gain ? gains : losses)} ${amount}`);
    steps.push(`${count}${gain ? '+' : '-'}${amount}=${next}`);
    count = next;
  }
  const question = `${person} ${clauses.slice(0, -1).join(', ')} and ${clauses.at(-1)}. How many ${thing} now?`;
  return { problem: { question, steps, answer: count }, numbers: steps.join(' ') };
}

export interface ProblemSets {
  readonly train: readonly WordProblem[];
  /** About numbers that no training problem has. */
  readonly heldOut: readonly WordProblem[];
}

/** Draws problems; the same seed always gives the same ones. */
export function drawProblems(seed: number, sizes: { readonly train: number; readonly heldOut: number }): ProblemSets {
  const random = createRandom(seed, 1);
  const held = new Map<string, WordProblem>();
  while (held.size < sizes.heldOut) {
    const { problem, numbers } = randomProblem(random);
    if (!held.has(numbers)) held.set(numbers, problem);
  }
  const train: WordProblem[] = [];
  while (train.length < sizes.train) {
    const { problem, numbers } = randomProblem(random);
    if (!held.has(numbers)) train.push(problem);
  }
  return { train, heldOut: [...held.values()] };
}

/** An answer that works the problem out, or one that only states the result. Both end as GSM8K's do. */
export function demonstration(problem: WordProblem, style: 'steps' | 'direct'): string {
  const lines = style === 'steps' ? problem.steps : [];
  return [...lines, `#### ${problem.answer}`].join('\n');
}

/** Which demonstrations write their steps: `share` of them, drawn by the seed. */
export function drawStyles(seed: number, count: number, share: number): ('steps' | 'direct')[] {
  const random = createRandom(seed, 2);
  return Array.from({ length: count }, () => (random.float() < share ? 'steps' : 'direct'));
}
