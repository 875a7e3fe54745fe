// node scripts/prune-build.mjs SOURCES OUTPUT: removes what tsc once made of sources that are gone, which it leaves where it is.
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const [sources, output] = process.argv.slice(2);

/** Whether nothing is left of a folder of the output. */
function prune(inside) {
  for (const entry of readdirSync(join(output, inside), { withFileTypes: true })) {
    const path = join(inside, entry.name);
    const source = path.replace(/\.(js|d\.ts)$/, '.ts');
    if (entry.isDirectory()) {
      if (prune(path)) rmdirSync(join(output, path));
    } else if (source !== path && !existsSync(join(sources, source))) rmSync(join(output, path));
  }
  return readdirSync(join(output, inside)).length === 0;
}

prune('');
