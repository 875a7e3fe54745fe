import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

interface Package {
  readonly version: string;
}

/** What a run runs on: anneal, node, onnxruntime, platform. */
export function versions(): Readonly<Record<string, string>> {
  const read = (url: URL | string): string => (JSON.parse(readFileSync(url, 'utf8')) as Package).version;
  return {
    anneal: read(new URL('../../package.json', import.meta.url)),
    node: process.versions.node,
    onnxruntime: read(createRequire(import.meta.url).resolve('onnxruntime-node/package.json')),
    platform: `${process.platform}-${process.arch}`,
  };
}
