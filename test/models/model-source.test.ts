import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type DownloadProgress, resolveModelSource } from '../../src/models/index.js';
import { temporaryDirectory } from './temporary-directory.js';

const commit = '0123456789abcdef0123456789abcdef01234567';

const noNetwork: typeof fetch = async () => {
  throw new TypeError('fetch failed');
};

/** Answers as the hub does for one model with these files, and records what was downloaded. */
function fakeHub(files: Readonly<Record<string, string>>): { fetch: typeof fetch; downloaded: string[] } {
  const downloaded: string[] = [];
  const entry = (path: string) => ({ type: 'file', path, size: files[path]!.length, oid: `oid-${path}` });
  const answer: typeof fetch = async (input, init) => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    if (url.pathname.includes('/tree/')) return Response.json(Object.keys(files).map(entry));
    if (url.pathname.includes('/paths-info/')) {
      const { paths } = JSON.parse(String(init?.body)) as { paths: string[] };
      return Response.json(paths.map(entry));
    }
    if (url.pathname.startsWith('/api/models/')) {
      return Response.json({
        _id: '1',
        id: 'org/name',
        modelId: 'org/name',
        sha: commit,
        private: false,
        gated: false,
      });
    }
    const path = url.pathname.split(`/resolve/${commit}/`)[1]!;
    const range = new Headers(init?.headers).get('Range');
    if (range !== 'bytes=0-0') downloaded.push(path);
    const text = files[path]!;
    return new Response(range === 'bytes=0-0' ? text.slice(0, 1) : text, {
      status: range === null ? 200 : 206,
      headers: { ETag: `"oid-${path}"`, 'Content-Range': `bytes 0-0/${text.length}` },
    });
  };
  return { fetch: answer, downloaded };
}

describe('paths', () => {
  it('a path that exists wins over the hub', async () => {
    const directory = await temporaryDirectory();
    expect(await resolveModelSource(directory, { fetch: noNetwork })).toBe(directory);
  });

  it.each(['./models/nothing', '/no/such/folder/model', 'a/b/c', 'weights/model.gguf', 'gpt2'])(
    '%s does not exist, and is no hub id: an error without any request',
    async (name) => {
      const { fetch, downloaded } = fakeHub({});
      const resolved = resolveModelSource(name, { fetch });
      await expect(resolved).rejects.toThrow(`Model ${name} does not exist (looked at /`);
      await expect(resolved).rejects.toThrow(
        'Give a directory with config.json, a .gguf file, or a hub id such as org/name',
      );
      expect(downloaded).toEqual([]);
    },
  );

  it('suggests the neighbour with the nearest name', async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'tiny-llama'));
    await expect(resolveModelSource(join(directory, 'tiny-lama'))).rejects.toThrow(
      `Did you mean ${join(directory, 'tiny-llama')}?`,
    );
  });
});

describe('hub ids', () => {
  const files = {
    'config.json': '{"model_type": "llama"}',
    'model.safetensors': 'weights',
    'tokenizer.json': '{}',
    'pytorch_model.bin': 'the same weights again',
    'onnx.tar': 'much else',
  };

  it('downloads what is needed, once, and reports progress', async () => {
    const cacheDir = await temporaryDirectory();
    const hub = fakeHub(files);
    const progress: DownloadProgress[] = [];
    const options = { cacheDir, fetch: hub.fetch, onProgress: (p: DownloadProgress) => progress.push(p) };
    const path = await resolveModelSource('org/name', options);
    expect(await readFile(join(path, 'config.json'), 'utf8')).toBe(files['config.json']);
    expect(await readFile(join(path, 'model.safetensors'), 'utf8')).toBe('weights');
    expect(hub.downloaded.sort()).toEqual(['config.json', 'model.safetensors', 'tokenizer.json']);
    const last = progress.at(-1)!;
    expect(last.bytesDone).toBe(last.bytesTotal);
    expect(last.bytesTotal).toBe(files['config.json'].length + 'weights'.length + '{}'.length);

    expect(await resolveModelSource('org/name', options)).toBe(path);
    expect(hub.downloaded).toHaveLength(3);
    // Without network the complete copy serves.
    expect(await resolveModelSource('org/name', { cacheDir, fetch: noNetwork })).toBe(path);
  });

  it('leaves the screen to whoever asked: the hub library prints nothing of its own', async () => {
    const debug = vi.spyOn(console, 'debug').mockImplementation(() => {});
    await resolveModelSource('org/name', { cacheDir: await temporaryDirectory(), fetch: fakeHub(files).fetch });
    expect(debug).not.toHaveBeenCalled();
    console.debug('as before');
    expect(debug).toHaveBeenCalledOnce();
    debug.mockRestore();
  });

  it('takes the GGUF file where there is only that', async () => {
    const cacheDir = await temporaryDirectory();
    const hub = fakeHub({ 'README.md': '-', 'model.Q8_0.gguf': 'GGUF' });
    const path = await resolveModelSource('org/name', { cacheDir, fetch: hub.fetch });
    expect(await readFile(join(path, 'model.Q8_0.gguf'), 'utf8')).toBe('GGUF');
  });

  it('asks which of several GGUF files', async () => {
    const cacheDir = await temporaryDirectory();
    const hub = fakeHub({ 'a.gguf': '1', 'b.gguf': '2' });
    await expect(resolveModelSource('org/name', { cacheDir, fetch: hub.fetch })).rejects.toThrow(
      /several GGUF files: a\.gguf, b\.gguf\. Download the file to use/,
    );
  });

  it('says what to do without network', async () => {
    const cacheDir = await temporaryDirectory();
    await expect(resolveModelSource('org/name', { cacheDir, fetch: noNetwork })).rejects.toThrow(
      /org\/name cannot be downloaded: fetch failed\. Without network access, copy the model here and give its directory/,
    );
  });

  it('does not take an unfinished copy for the model', async () => {
    const cacheDir = await temporaryDirectory();
    const snapshot = join(cacheDir, 'models--org--name', 'snapshots', commit);
    await mkdir(snapshot, { recursive: true });
    await writeFile(join(snapshot, 'config.json'), '{}');
    await expect(resolveModelSource('org/name', { cacheDir, fetch: noNetwork })).rejects.toThrow(
      /cannot be downloaded/,
    );
  });

  it.each([
    [401, /does not exist or needs access \(status 401\).*set HF_TOKEN/],
    [404, /has no revision main, or does not exist/],
  ])('status %i', async (status, message) => {
    const cacheDir = await temporaryDirectory();
    const refuse: typeof fetch = async () => new Response('no', { status });
    await expect(resolveModelSource('org/name', { cacheDir, fetch: refuse })).rejects.toThrow(message);
  });
});
