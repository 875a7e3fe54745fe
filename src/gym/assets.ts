import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package: that of the sources, or the installed one. */
export const packageRoot = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');

/** The absolute path of a file or folder below the package's `gym` folder: `gymAsset('drivers/driver.py')`. */
export function gymAsset(relative: string): string {
  return join(packageRoot, 'gym', relative);
}

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version;
}
