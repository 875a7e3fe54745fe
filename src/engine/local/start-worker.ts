import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** Starts a worker file of this folder. From TypeScript sources (in tests) a loader has to come first. */
export function startWorker(name: 'worker' | 'adamw-worker'): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, import.meta.url));
  const loader = createRequire(import.meta.url)
    .resolve('tsx/esm/api')
    .replace(/\.cjs$/, '.mjs');
  const file = new URL(`./${name}.ts`, import.meta.url).href;
  const script = `import('${loader}').then(({ register }) => { register(); return import('${file}'); })`;
  return new Worker(script, { eval: true });
}
