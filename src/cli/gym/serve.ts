import { UserError } from '../../config/index.js';
import { loadEnvironment } from '../../gym/index.js';
import { serveGym } from '../../gym/server/index.js';
import { onInterrupt } from '../interrupt.js';
import { gymArguments } from './arguments.js';
import { sandboxOption, wholeNumber, withGym } from './judging.js';
import { isolationText } from './verdict-text.js';

/** `anneal gym serve`: verdicts and rewards over HTTP, until it is interrupted. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = gymArguments('serve', args, {
    host: { type: 'string' },
    port: { type: 'string' },
    environment: { type: 'string' },
    sandbox: { type: 'string' },
    workers: { type: 'string' },
    'no-auth': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (positionals.length > 0)
    throw new UserError(`anneal gym serve takes options only; there is also ${positionals[0]}`);
  const { host = '127.0.0.1', json = false } = values;
  const keys = keysOf(values['no-auth'] === true);
  const port = values.port === undefined ? 8000 : portOf(values.port);
  const environment = values.environment === undefined ? null : await loadEnvironment(values.environment);
  const sandbox = sandboxOption(values.sandbox);

  const interrupt = onInterrupt(() =>
    process.stderr.write('stopping: answering what has begun (once more to stop at once)\n'),
  );
  try {
    return await withGym(sandbox, wholeNumber('workers', values.workers), async (gym) => {
      // Where nothing can be isolated this says so now, not with the first request.
      const capabilities = await gym.capabilities();
      const server = await serveGym({
        gym,
        keys,
        host,
        port,
        ...(environment !== null && { defaultEnvironment: environment }),
      });
      if (json) console.log(JSON.stringify({ url: server.url, auth: keys !== null, sandbox: capabilities }));
      else console.log(`${server.url}\n${isolationText(capabilities)}${keys === null ? '\nno key is asked for' : ''}`);
      await aborted(interrupt.signal);
      await server.close();
      return 0;
    });
  } finally {
    interrupt.release();
  }
}

function keysOf(noAuth: boolean): readonly string[] | null {
  const keys = [process.env.ANNEAL_GYM_API_KEY, process.env.DEEPGYM_API_KEY].flatMap((key) => (key ? [key] : []));
  if (noAuth) return null;
  if (keys.length > 0) return keys;
  throw new UserError(
    'anneal gym serve runs programs for whoever asks: set ANNEAL_GYM_API_KEY to the key that clients send as X-API-Key, or give --no-auth to serve this machine alone without one',
  );
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535)
    throw new UserError(`--port ${text}: wanted is a number from 0 to 65535`);
  return port;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
