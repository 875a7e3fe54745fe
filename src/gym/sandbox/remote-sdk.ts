import { SandboxError } from './types.js';

/** A vendor's SDK, which is no dependency of anneal's. Packages are tried in order. @throws SandboxError `unavailable` */
export async function importSdk<Sdk>(sandbox: string, exported: string, packages: readonly string[]): Promise<Sdk> {
  for (const name of packages) {
    let module: Record<string, unknown>;
    try {
      module = (await import(name)) as Record<string, unknown>;
    } catch (error) {
      const missing =
        (error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND' && (error as Error).message.includes(`'${name}'`);
      if (missing) continue;
      throw new SandboxError(`sandbox: ${sandbox}: ${name} could not be loaded: ${(error as Error).message}`, {
        cause: error,
        reason: 'unavailable',
      });
    }
    if (module[exported] === undefined) {
      throw new SandboxError(
        `sandbox: ${sandbox}: ${name} has no ${exported}. Install a newer one: npm install ${name}@latest`,
        {
          reason: 'unavailable',
        },
      );
    }
    return module as Sdk;
  }
  throw new SandboxError(`sandbox: ${sandbox} needs its SDK. Install it: npm install ${packages[0]}`, {
    reason: 'unavailable',
  });
}
