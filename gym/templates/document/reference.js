/** The answer to a case, from what the task's text shows. */
export function answer({ log }) {
  const times = new Map();
  for (const line of log.split('\n')) {
    const [path, ms] = line.split(' ');
    times.set(path, [...(times.get(path) ?? []), Number(ms)]);
  }
  const means = [...times].map(([path, list]) => [path, list.reduce((sum, ms) => sum + ms, 0) / list.length]);
  const [path, mean] = means.reduce((worst, next) => (next[1] > worst[1] ? next : worst));
  return JSON.stringify({ path, mean_ms: Math.round(mean) });
}
