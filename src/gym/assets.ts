import { fileURLToPath } from 'node:url';

/** The absolute path of a file or folder below the package's `gym` folder: `gymAsset('drivers/driver.py')`. */
export function gymAsset(relative: string): string {
  return fileURLToPath(new URL(`../../gym/${relative}`, import.meta.url));
}
