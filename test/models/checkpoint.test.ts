import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkCheckpoint,
  loadCheckpoint,
  openSafetensors,
  parseModelConfig,
  randomWeights,
  readModelConfig,
  saveCheckpoint,
  type Weight,
  writeSafetensors,
} from '../../src/models/index.js';
import { goldenPath, readGolden } from '../golden/read-golden.js';
import { temporaryDirectory } from './temporary-directory.js';
import { tinyConfigJson } from './tiny-config.js';

async function readJson(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(path, 'utf8'));
}

/** A directory with a tiny checkpoint, its tensors changed. */
async function checkpointWith(
  change: (tensors: Map<string, Weight>) => void,
  json = tinyConfigJson(),
): Promise<string> {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, 'config.json'), JSON.stringify(json));
  const tensors = new Map(randomWeights(parseModelConfig(json, 'config.json'), 1));
  change(tensors);
  await writeSafetensors(join(directory, 'model.safetensors'), tensors);
  return directory;
}

describe('loading', () => {
  it.each(['llama', 'mistral-window', 'qwen2-tied', 'qwen3'])('%s as transformers wrote it', async (name) => {
    const { config, weights, format } = await loadCheckpoint(goldenPath(`models/${name}`));
    expect(format).toBe('safetensors');
    expect(config.family).toBe(name.split('-')[0]);
    expect(Object.fromEntries(weights)).toEqual(Object.fromEntries(readGolden(`models/${name}/model.safetensors`)));
  });

  it('shards in BF16, through their index', async () => {
    const { weights, generationConfig } = await loadCheckpoint(goldenPath('checkpoints/sharded-bf16'));
    const exact = readGolden('models/llama-linear-tied/model.safetensors');
    expect([...weights.keys()].sort()).toEqual([...exact.keys()].sort());
    for (const [name, { data }] of exact) {
      const worst = weights.get(name)!.data.reduce((max, x, i) => Math.max(max, Math.abs(x / data[i]! - 1)), 0);
      expect(worst).toBeLessThan(2 ** -8);
    }
    expect(generationConfig).toMatchObject({ eos_token_id: 2 });
  });

  it.each(['models/qwen3', 'checkpoints/sharded-bf16', 'checkpoints/qwen3.gguf'])(
    '%s passes the check of its headers, which gives its config',
    async (name) => {
      expect(await checkCheckpoint(goldenPath(name))).toEqual((await loadCheckpoint(goldenPath(name))).config);
    },
  );

  it('a directory with one GGUF file', async () => {
    const directory = await temporaryDirectory();
    await cp(goldenPath('checkpoints/qwen3.gguf'), join(directory, 'model.gguf'));
    expect(await loadCheckpoint(directory)).toMatchObject({ format: 'gguf', path: join(directory, 'model.gguf') });
  });

  it('passes over rotary buffers and the stored copy of a tied head', async () => {
    const json = tinyConfigJson({ tie_word_embeddings: true });
    const directory = await checkpointWith((tensors) => {
      tensors.set('lm_head.weight', tensors.get('model.embed_tokens.weight')!);
      tensors.set('model.layers.0.self_attn.rotary_emb.inv_freq', { shape: [2], data: new Float32Array(2) });
    }, json);
    const { weights } = await loadCheckpoint(directory);
    expect(weights.has('lm_head.weight')).toBe(false);
    expect([...weights.keys()].some((name) => name.includes('inv_freq'))).toBe(false);
  });
});

/** Both by reading the weights, and before by their headers alone. */
async function refused(path: string, message: string | RegExp): Promise<void> {
  await expect(loadCheckpoint(path)).rejects.toThrow(message);
  await expect(checkCheckpoint(path)).rejects.toThrow(message);
}

describe('what cannot be loaded, and why', () => {
  it('a path that does not exist', async () => {
    await refused(
      '/no/such/model',
      '/no/such/model does not exist. Give a directory with config.json, or a .gguf file.',
    );
  });

  it('a file of another kind', async () => {
    await refused(goldenPath('models/llama/model.safetensors'), /is not a checkpoint/);
  });

  it('a directory with neither config nor GGUF file', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'notes.txt'), '');
    await expect(readModelConfig(directory)).rejects.toThrow(
      /neither config\.json nor a \.gguf file; it holds notes\.txt/,
    );
  });

  it('several GGUF files', async () => {
    const directory = await temporaryDirectory();
    for (const name of ['b.gguf', 'a.gguf']) await writeFile(join(directory, name), '');
    await expect(readModelConfig(directory)).rejects.toThrow(/several GGUF files; name one of them: a\.gguf, b\.gguf/);
  });

  it('an adapter in place of a model', async () => {
    await expect(readModelConfig(goldenPath('adapters/query-value'))).rejects.toThrow(
      /holds a PEFT adapter, not a model/,
    );
  });

  it('weights in pickled files only', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'config.json'), JSON.stringify(tinyConfigJson()));
    await writeFile(join(directory, 'pytorch_model.bin'), '');
    await refused(directory, /pytorch_model\.bin: convert it to safetensors/);
  });

  it('NaN in config.json', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'config.json'), '{"rms_norm_eps": NaN}');
    await expect(readModelConfig(directory)).rejects.toThrow(/config\.json is not valid JSON.*contains NaN/);
  });

  it('missing tensors, the first ones by name', async () => {
    const directory = await checkpointWith((tensors) => {
      for (const name of [...tensors.keys()]) if (name.includes('mlp')) tensors.delete(name);
    });
    await refused(directory, /lacks tensors .*model\.layers\.0\.mlp\.gate_proj\.weight.* and 1 more/);
  });

  it('a tensor that the model does not know', async () => {
    const directory = await checkpointWith((tensors) => {
      tensors.set('model.layers.0.self_attn.q_proj.bias', { shape: [8], data: new Float32Array(8) });
    });
    await refused(directory, /does not mean: model\.layers\.0\.self_attn\.q_proj\.bias/);
  });

  it('a tensor of the wrong shape', async () => {
    const directory = await checkpointWith((tensors) => {
      tensors.set('model.norm.weight', { shape: [9], data: new Float32Array(9) });
    });
    await refused(directory, /model\.norm\.weight has shape \[9\], but config\.json means \[8\]/);
  });

  it('a tensor of whole numbers', async () => {
    const directory = await checkpointWith(() => {});
    const path = join(directory, 'model.safetensors');
    const bytes = await readFile(path);
    const header = bytes.toString('latin1').replaceAll('"F32"', '"I32"');
    await writeFile(path, Buffer.from(header, 'latin1'));
    await refused(directory, /has dtype I32; as numbers these can be read: F32, F16, BF16/);
  });

  it('weights whose end is missing', async () => {
    const directory = await checkpointWith(() => {});
    const path = join(directory, 'model.safetensors');
    await writeFile(path, (await readFile(path)).subarray(0, -4));
    await refused(directory, /model\.safetensors is truncated/);

    const gguf = await readFile(goldenPath('checkpoints/qwen3.gguf'));
    await writeFile(join(directory, 'short.gguf'), gguf.subarray(0, -4));
    await refused(join(directory, 'short.gguf'), /short\.gguf is truncated/);
  });

  it('a missing shard', async () => {
    const directory = await temporaryDirectory();
    await cp(goldenPath('checkpoints/sharded-bf16'), directory, { recursive: true });
    await rm(join(directory, 'model-00002-of-00003.safetensors'));
    await refused(directory, /lacks shards .*model-00002-of-00003\.safetensors/);
  });

  it('an index that leads out of the directory', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'config.json'), JSON.stringify(tinyConfigJson()));
    const index = { weight_map: { 'model.norm.weight': '../other.safetensors' } };
    await writeFile(join(directory, 'model.safetensors.index.json'), JSON.stringify(index));
    await refused(directory, /must name a file in the same directory/);
  });

  it('an index that promises a tensor its shard lacks', async () => {
    const directory = await temporaryDirectory();
    await cp(goldenPath('checkpoints/sharded-bf16'), directory, { recursive: true });
    const path = join(directory, 'model.safetensors.index.json');
    const index = await readJson(path);
    (index.weight_map as Record<string, string>)['model.norm.weight'] = 'model-00001-of-00003.safetensors';
    await writeFile(path, JSON.stringify(index));
    await refused(directory, /model-00001-of-00003\.safetensors has no tensor model\.norm\.weight/);
  });
});

describe('saving', () => {
  it('gives the same model back, with config, generation config and further files', async () => {
    const original = await loadCheckpoint(goldenPath('models/qwen3'));
    const directory = await temporaryDirectory();
    await saveCheckpoint(directory, original.config, original.weights, {
      generationConfig: { eos_token_id: [2, 3] },
      files: new Map([['tokenizer.json', '{}']]),
    });
    const loaded = await loadCheckpoint(directory);
    expect(Object.fromEntries(loaded.weights)).toEqual(Object.fromEntries(original.weights));
    expect(loaded.config).toEqual(original.config);
    expect(loaded.generationConfig).toEqual({ eos_token_id: [2, 3] });
    expect(await readFile(join(directory, 'tokenizer.json'), 'utf8')).toBe('{}');
    expect((await readdir(directory)).sort()).toEqual([
      'config.json',
      'generation_config.json',
      'model.safetensors',
      'tokenizer.json',
    ]);
  });

  it('writes config.json as it was read, but for the dtype of the weights', async () => {
    const { config, weights } = await loadCheckpoint(goldenPath('checkpoints/sharded-bf16'));
    expect(config.source.dtype).toBe('bfloat16');
    const directory = await temporaryDirectory();
    await saveCheckpoint(directory, config, weights);
    expect(await readJson(join(directory, 'config.json'))).toEqual({ ...config.source, dtype: 'float32' });
    await saveCheckpoint(directory, config, weights, { dtype: 'BF16' });
    expect(await readJson(join(directory, 'config.json'))).toEqual(config.source);
    const again = await loadCheckpoint(directory);
    expect(Object.fromEntries(again.weights)).toEqual(Object.fromEntries(weights));
  });

  it('a model from GGUF becomes a Hugging Face checkpoint', async () => {
    const original = await loadCheckpoint(goldenPath('checkpoints/mistral-window.gguf'));
    const directory = await temporaryDirectory();
    await saveCheckpoint(directory, original.config, original.weights);
    const { config, weights } = await loadCheckpoint(directory);
    expect(config).toMatchObject({ family: 'mistral', slidingWindow: original.config.slidingWindow });
    expect(Object.fromEntries(weights)).toEqual(Object.fromEntries(original.weights));
  });

  it('shards above the limit, each within it, and clears what an earlier save left', async () => {
    const { config, weights } = await loadCheckpoint(goldenPath('models/llama'));
    const directory = await temporaryDirectory();
    await saveCheckpoint(directory, config, weights);
    await saveCheckpoint(directory, config, weights, { maxShardBytes: 20_000 });
    const files = (await readdir(directory)).filter((name) => name.endsWith('.safetensors')).sort();
    expect(files[0]).toBe(`model-00001-of-0000${files.length}.safetensors`);
    expect(files.length).toBeGreaterThan(2);
    const index = await readJson(join(directory, 'model.safetensors.index.json'));
    const bytes = [...weights.values()].reduce((sum, { data }) => sum + data.byteLength, 0);
    expect(index.metadata).toEqual({ total_size: bytes });
    expect(new Set(Object.values(index.weight_map as object))).toEqual(new Set(files));
    for (const name of files) {
      const file = await openSafetensors(join(directory, name));
      const sizes = [...file.tensors.values()].map((entry) => entry.end - entry.start);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(20_000);
      await file.close();
    }
    expect(Object.fromEntries((await loadCheckpoint(directory)).weights)).toEqual(Object.fromEntries(weights));

    await saveCheckpoint(directory, config, weights);
    expect((await readdir(directory)).sort()).toEqual(['config.json', 'model.safetensors']);
  });

  it('refuses weights with a hole before it touches the directory', async () => {
    const { config, weights } = await loadCheckpoint(goldenPath('models/llama'));
    const directory = join(await temporaryDirectory(), 'out');
    await mkdir(directory);
    const holed = new Map(weights);
    holed.delete('model.norm.weight');
    await expect(saveCheckpoint(directory, config, holed)).rejects.toThrow(/the weights lack model\.norm\.weight/);
    expect(await readdir(directory)).toEqual([]);
  });
});
