import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { someNames } from '../../text/index.js';
import { didYouMean } from '../nearest.js';

export interface DownloadProgress {
  readonly file: string;
  /** Bytes of all wanted files present so far, and in all. */
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface ResolveOptions {
  /** Branch, tag or commit of a hub model. Default `main`. */
  readonly revision?: string;
  /** Access token for gated or private models. */
  readonly token?: string;
  /** Default: the hub's usual cache directory (HF_HUB_CACHE, HF_HOME). */
  readonly cacheDir?: string;
  /** Called about twice a second while files are downloaded. */
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
}

const hubId = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;
const wantedFile =
  /^(config\.json|generation_config\.json|model.*\.safetensors(\.index\.json)?|tokenizer.*\.json|tokenizer\.model|special_tokens_map\.json|added_tokens\.json|vocab\.json|merges\.txt|chat_template\.(jinja|json)|adapter_config\.json|adapter_model\.safetensors)$/;

/**
 * Where the model that `base_model` names lies on this machine. A path that exists wins; what looks like a path and does
 * not exist is an error, never a download; `org/name` is fetched from the hub into its cache, only the files that are needed.
 * Without network the cached copy is used where there is one.
 */
export async function resolveModelSource(baseModel: string, options: ResolveOptions = {}): Promise<string> {
  const path = resolve(baseModel.replace(/^~(?=\/|$)/, homedir()));
  if (await exists(path)) return path;
  if (!hubId.test(baseModel) || /\.(gguf|safetensors|bin)$/.test(baseModel)) throw await notFound(baseModel, path);
  return downloadModel(baseModel, options);
}

async function notFound(baseModel: string, path: string): Promise<Error> {
  const siblings = await readdir(dirname(path)).catch(() => null);
  const where =
    siblings === null
      ? ` Its folder ${dirname(path)} does not exist either.`
      : didYouMean(basename(path), siblings).replace('mean ', `mean ${dirname(path)}/`);
  return new Error(
    `Model ${baseModel} does not exist (looked at ${path}).${where} ` +
      'Give a directory with config.json, a .gguf file, or a hub id such as org/name.',
  );
}

async function downloadModel(name: string, options: ResolveOptions): Promise<string> {
  const hub = await import('@huggingface/hub');
  const revision = options.revision ?? 'main';
  const cacheDir = options.cacheDir ?? hub.getHFHubCachePath();
  const storage = join(cacheDir, hub.getRepoFolderName({ name, type: 'model' }));
  const request = {
    ...(options.fetch && { fetch: options.fetch }),
    ...(options.token && { accessToken: options.token }),
  };
  const repo = { type: 'model', name } as const;

  let commit: string;
  const files: { path: string; size: number; blob: string }[] = [];
  try {
    commit = (await hub.modelInfo({ ...request, name, revision, additionalFields: ['sha'] })).sha;
    for await (const entry of hub.listFiles({ ...request, repo, revision: commit })) {
      const blob = entry.lfs?.oid ?? entry.xetHash ?? entry.oid ?? '';
      if (entry.type === 'file') files.push({ path: entry.path, size: entry.size, blob });
    }
  } catch (cause) {
    const cached = await cachedSnapshot(storage, revision);
    if (cached !== null) return cached;
    throw hubError(name, revision, cause);
  }
  const snapshot = join(storage, 'snapshots', commit);
  const wanted = files.filter((file) => wantedFile.test(file.path));
  if (!wanted.some((file) => file.path.endsWith('.safetensors'))) {
    const ggufs = files.filter((file) => file.path.endsWith('.gguf'));
    if (ggufs.length !== 1) {
      const found = ggufs.length === 0 ? files : ggufs;
      throw new Error(
        `Hub model ${name} has no safetensors weights${ggufs.length > 1 ? ' and several GGUF files' : ''}: ` +
          `${someNames(found.map((file) => file.path))}. Download the file to use and give its path.`,
      );
    }
    wanted.push(ggufs[0]!);
  }
  const endRestraint = restrainHub();
  try {
    await downloadFiles(wanted, storage, options.onProgress, async (file) => {
      await hub.downloadFileToCacheDir({ ...request, repo, path: file, revision: commit, cacheDir });
    });
  } catch (cause) {
    throw hubError(name, revision, cause);
  } finally {
    endRestraint();
  }
  // Written last: the ref says that the snapshot is complete, and an offline run may trust it.
  if (revision !== commit) {
    await mkdir(join(storage, 'refs', dirname(revision)), { recursive: true });
    await writeFile(join(storage, 'refs', revision), commit);
  }
  return snapshot;
}

/** Keeps the hub library's own line for each file from the screen, where `onProgress` shows the same; gives what ends that. */
function restrainHub(): () => void {
  const { debug } = console;
  console.debug = (...values) => {
    if (!String(values[0]).startsWith('Downloading ')) debug(...values);
  };
  return () => {
    console.debug = debug;
  };
}

async function downloadFiles(
  files: readonly { readonly path: string; readonly size: number; readonly blob: string }[],
  storage: string,
  onProgress: ResolveOptions['onProgress'],
  download: (file: string) => Promise<void>,
): Promise<void> {
  const bytesTotal = files.reduce((sum, file) => sum + file.size, 0);
  let bytesBefore = 0;
  for (const file of files) {
    const incomplete = join(storage, 'blobs', `${file.blob}.incomplete`);
    const report = (bytes: number) => onProgress?.({ file: file.path, bytesDone: bytesBefore + bytes, bytesTotal });
    report(0);
    // The hub library reports no progress; the growing file does.
    const timer = setInterval(() => {
      void stat(incomplete).then(
        (info) => report(info.size),
        () => {},
      );
    }, 500);
    try {
      await download(file.path);
    } finally {
      clearInterval(timer);
    }
    bytesBefore += file.size;
    onProgress?.({ file: file.path, bytesDone: bytesBefore, bytesTotal });
  }
}

async function cachedSnapshot(storage: string, revision: string): Promise<string | null> {
  const commit = await readFile(join(storage, 'refs', revision), 'utf8').catch(() => revision);
  const snapshot = join(storage, 'snapshots', commit.trim());
  return (await exists(join(snapshot, 'config.json'))) ? snapshot : null;
}

function hubError(name: string, revision: string, cause: unknown): Error {
  const status = (cause as { statusCode?: number }).statusCode;
  const message = (cause as Error).message;
  if (status === 401 || status === 403) {
    return new Error(
      `Hub model ${name} does not exist or needs access (status ${status}). Accept its licence and set HF_TOKEN.`,
      { cause },
    );
  }
  if (status === 404) return new Error(`Hub model ${name} has no revision ${revision}, or does not exist.`, { cause });
  return new Error(
    `Hub model ${name} cannot be downloaded: ${message}. Without network access, copy the model here and give its directory as base_model.`,
    { cause },
  );
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
