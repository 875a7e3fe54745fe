import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { GymError } from '../gym-error.js';
import { createGymApp, type GymAppOptions } from './app.js';

export interface ServeOptions extends GymAppOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 8000; 0 takes a free one. */
  readonly port?: number;
}

export interface GymServer {
  /** `http://127.0.0.1:8000`. */
  readonly url: string;
  /** Takes no more requests, answers those that are there, and gives up on them after so many milliseconds (10 s). */
  close(graceMs?: number): Promise<void>;
}

/** @throws GymError where strangers could run programs here: without a key on another address than this machine's own */
export async function serveGym(options: ServeOptions): Promise<GymServer> {
  const { host = '127.0.0.1', port = 8000, keys } = options;
  if (keys === null && !isLoopback(host)) {
    throw new GymError(
      `without a key the server listens on this machine's own address only, and ${host} is another. Set ANNEAL_GYM_API_KEY, or leave out --host.`,
    );
  }
  if (keys !== null && (keys.length === 0 || keys.some((key) => key === ''))) {
    throw new GymError('an empty key is no key');
  }
  const app = createGymApp(options);
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    await app.dispose();
    throw new GymError(`cannot listen on ${host}:${port}: ${(error as Error).message}`, { cause: error });
  }
  const { address, port: taken, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    async close(graceMs = 10_000) {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const timer = setTimeout(async () => {
        await app.dispose();
        server.closeAllConnections();
      }, graceMs);
      await closed;
      clearTimeout(timer);
      await app.dispose();
    },
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
