import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const OWN_FOLDER = dirname(fileURLToPath(import.meta.url));

/** An error's message and the frames of the user's own code: without those of Node, of packages and of the caller here. */
export function userStack(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  const message = error.message.replace(/\nRequire stack:[\s\S]*$/, '').trim();
  const head = error.name === 'Error' ? message : `${error.name}: ${message}`;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const ours = frames.findIndex((frame) => frame.includes(OWN_FOLDER));
  const theirs = (ours < 0 ? frames : frames.slice(0, ours)).filter(
    (frame) => !/node:|[\\/]node_modules[\\/]|<anonymous>/.test(frame),
  );
  return [head, ...theirs].join('\n');
}
