import { UserError } from '../../config/index.js';
import { loadEnvironment } from '../../gym/index.js';
import { serveGym } from '../../gym/server/index.js';
import { noPositionals, readArguments, wholeNumber } from '../arguments.js';
import { noSandboxExit, sandboxOption, withGym } from './judging.js';
import { isolationText } from './verdict-text.js';

/** `anneal gym serve`: verdicts and rewards over HTTP, until it is interrupted. */
export async function run(args: string[]): Promise<number> {
  try {
    return await serveUntilStopped(args);
  } catch (error) {
    return noSandboxExit(error, args.includes('--json'));
  }
}

async function serveUntilStopped(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('gym serve', args, {
    host: { type: 'string' },
    port: { type: 'string' },
    environment: { type: 'string' },
    sandbox: { type: 'string' },
    workers: { type: 'string' },
    'no-auth': { type: 'boolean' },
    json: { type: 'boolean' },
    verbose: { type: 'boolean' },
  });
  noPositionals('gym serve', positionals);
  const { host = '127.0.0.1', json = false } = values;
  const keys = keysOf(values['no-auth'] === true);
  const port = wholeNumber('port', values.port, { from: 0, to: 65535 }) ?? 8000;
  const environment = values.environment === undefined ? null : await loadEnvironment(values.environment);
  const sandbox = sandboxOption(values.sandbox);

  const stopping = () => void process.stderr.write('stopping: answering what has begun (once more to stop at once)\n');
  return withGym(
    sandbox,
    wholeNumber('workers', values.workers),
    async (gym, signal) => {
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
      else
        console.log(
          `${server.url}\n${isolationText(capabilities, values.verbose)}${keys === null ? '\nno key is asked for' : ''}`,
        );
      await aborted(signal);
      await server.close();
      return 0;
    },
    stopping,
  );
}

function keysOf(noAuth: boolean): readonly string[] | null {
  const keys = [process.env.ANNEAL_GYM_API_KEY, process.env.DEEPGYM_API_KEY].flatMap((key) => (key ? [key] : []));
  if (noAuth) return null;
  if (keys.length > 0) return keys;
  throw new UserError(
    'anneal gym serve runs programs for whoever asks: set ANNEAL_GYM_API_KEY to the key that clients send as X-API-Key, or give --no-auth to serve this machine alone without one',
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
