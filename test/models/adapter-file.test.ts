import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type AdapterConfig,
  loadAdapter,
  loadCheckpoint,
  mergeAdapter,
  parseModelConfig,
  randomAdapter,
  saveAdapter,
  targetedModules,
} from '../../src/models/index.js';
import { goldenPath, readGolden, readGoldenJson } from '../golden/read-golden.js';
import { temporaryDirectory } from './temporary-directory.js';

const model = parseModelConfig(readGoldenJson('models/llama/config.json'), 'llama');
const loraConfig: AdapterConfig = {
  r: 3,
  alpha: 6,
  dropout: 0.1,
  targetModules: ['q_proj', 'down_proj'],
  useRslora: false,
};

/** A copy of an adapter that PEFT wrote, its config changed. */
async function adapterWith(changes: Record<string, unknown>): Promise<string> {
  const directory = await temporaryDirectory();
  await cp(goldenPath('adapters/query-value'), directory, { recursive: true });
  const path = join(directory, 'adapter_config.json');
  const json = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...json, ...changes }));
  return directory;
}

describe('adapters that PEFT wrote', () => {
  it('a list of targets', async () => {
    const { config, modules } = await loadAdapter(goldenPath('adapters/query-value'), model);
    expect(config).toEqual({ r: 4, alpha: 8, dropout: 0, targetModules: ['q_proj', 'v_proj'], useRslora: false });
    expect([...modules.keys()]).toEqual([
      'model.layers.0.self_attn.q_proj',
      'model.layers.0.self_attn.v_proj',
      'model.layers.1.self_attn.q_proj',
      'model.layers.1.self_attn.v_proj',
    ]);
    const module = modules.get('model.layers.1.self_attn.v_proj')!;
    const stored = readGolden('adapters/query-value/adapter_model.safetensors');
    expect(module.a).toEqual(stored.get('base_model.model.model.layers.1.self_attn.v_proj.lora_A.weight'));
    expect(module.b).toEqual(stored.get('base_model.model.model.layers.1.self_attn.v_proj.lora_B.weight'));
    expect(module.scale).toBe(2);
  });

  it('"all-linear", and the scale of rsLoRA', async () => {
    const { config, modules } = await loadAdapter(goldenPath('adapters/rslora'), model);
    expect(modules.size).toBe(7 * model.numLayers);
    expect(config.useRslora).toBe(true);
    for (const { scale } of modules.values()) expect(scale).toBeCloseTo(8 / Math.sqrt(4));
  });

  it('a regular expression, with ranks and alphas by pattern; merged as PEFT merges', async () => {
    const directory = goldenPath('checkpoints/adapter-patterns');
    const adapter = await loadAdapter(directory, model);
    const sizes = Object.fromEntries([...adapter.modules].map(([path, { r, alpha }]) => [path, [r, alpha]]));
    expect(sizes).toEqual({
      'model.layers.0.self_attn.q_proj': [4, 6],
      'model.layers.0.self_attn.v_proj': [4, 3],
      'model.layers.1.self_attn.q_proj': [2, 6],
      'model.layers.1.self_attn.v_proj': [4, 3],
      'model.layers.1.mlp.down_proj': [4, 6],
    });
    const { weights } = await loadCheckpoint(goldenPath('models/llama'));
    const merged = mergeAdapter(weights, adapter);
    const expected = readGolden('checkpoints/adapter-patterns/merged.safetensors');
    for (const [name, weight] of merged) {
      const golden = expected.get(name);
      if (golden === undefined) expect(weight).toBe(weights.get(name));
      else for (const [i, x] of golden.data.entries()) expect(weight.data[i]).toBeCloseTo(x, 5);
    }
    expect([...expected.keys()].every((name) => adapter.modules.has(name.replace('.weight', '')))).toBe(true);
  });
});

describe('saving', () => {
  it('gives the same adapter back', async () => {
    const directory = await temporaryDirectory();
    const adapter = randomAdapter(model, loraConfig, 5);
    adapter.modules.get('model.layers.0.mlp.down_proj')!.b.data.fill(0.5);
    await saveAdapter(directory, adapter, { baseModel: 'org/name' });
    expect(await loadAdapter(directory, model)).toEqual(adapter);
  });

  it('keeps ranks and targets that differ by module', async () => {
    const adapter = await loadAdapter(goldenPath('checkpoints/adapter-patterns'), model);
    const directory = await temporaryDirectory();
    await saveAdapter(directory, adapter, { baseModel: 'org/name' });
    expect(await loadAdapter(directory, model)).toEqual(adapter);
  });

  it('writes the keys that PEFT reads', async () => {
    const directory = await temporaryDirectory();
    await saveAdapter(directory, randomAdapter(model, loraConfig, 5), { baseModel: 'org/name', revision: 'abc' });
    expect(JSON.parse(await readFile(join(directory, 'adapter_config.json'), 'utf8'))).toMatchObject({
      peft_type: 'LORA',
      task_type: 'CAUSAL_LM',
      base_model_name_or_path: 'org/name',
      revision: 'abc',
      r: 3,
      lora_alpha: 6,
      lora_dropout: 0.1,
      target_modules: ['q_proj', 'down_proj'],
      bias: 'none',
      use_rslora: false,
    });
    const tensors = readGolden('models/llama/model.safetensors');
    const { shape } = tensors.get('model.layers.0.mlp.down_proj.weight')!;
    const adapter = await loadAdapter(directory, model);
    expect(adapter.modules.get('model.layers.0.mlp.down_proj')!.a.shape).toEqual([3, shape[1]]);
    expect(adapter.modules.get('model.layers.0.mlp.down_proj')!.b.shape).toEqual([shape[0], 3]);
  });
});

describe('a fresh adapter', () => {
  const adapter = randomAdapter(model, loraConfig, 5);

  it('changes nothing when merged', async () => {
    const { weights } = await loadCheckpoint(goldenPath('models/llama'));
    expect(Object.fromEntries(mergeAdapter(weights, adapter))).toEqual(Object.fromEntries(weights));
  });

  it('draws A from uniform(±1/√in)', () => {
    const { data, shape } = adapter.modules.get('model.layers.0.self_attn.q_proj')!.a;
    const bound = 1 / Math.sqrt(shape[1]!);
    expect(data.every((x) => Math.abs(x) <= bound)).toBe(true);
    expect(Math.max(...data.map(Math.abs))).toBeGreaterThan(0.9 * bound);
  });

  it('names the nearest target when there is none of that name', () => {
    expect(() => targetedModules(model, ['q_porj'])).toThrow(/LoRA target q_porj.*Did you mean q_proj\?/);
  });
});

describe('what cannot be loaded, and why', () => {
  const refused: [Record<string, unknown>, RegExp][] = [
    [{ peft_type: 'IA3' }, /adapter_config\.json: peft_type is "IA3"; supported: "LORA"/],
    [{ use_dora: true }, /use_dora is true; supported: false/],
    [{ bias: 'all' }, /bias is "all"; supported: "none"/],
    [{ modules_to_save: ['lm_head'] }, /modules_to_save is \["lm_head"\]/],
    [{ fan_in_fan_out: true }, /fan_in_fan_out is true/],
    [{ init_lora_weights: 'pissa' }, /init_lora_weights is "pissa"/],
    [{ task_type: 'SEQ_CLS' }, /task_type is "SEQ_CLS"/],
    [{ target_modules: ['q_proj', 'lm_head'] }, /target_modules names lm_head.*supported: q_proj, k_proj/],
    [{ target_modules: '(' }, /regular expression .* is not understood/],
    [{ target_modules: 'nothing' }, /"nothing" means no linear layer/],
    [{ target_modules: ['q_proj'] }, /has tensors that adapter_config\.json does not mean.*v_proj/],
    [{ target_modules: 'all-linear' }, /lacks tensors that adapter_config\.json means.*k_proj/],
    [{ layers_to_transform: [0] }, /does not mean for this model.*layers\.1/],
    [{ r: 8 }, /shape \[4,32\], but the model and adapter_config\.json mean \[8,32\]/],
    [{ r: '4' }, /r must be a number, but is "4"/],
  ];
  it.each(refused)('%j', async (changes, message) => {
    await expect(loadAdapter(await adapterWith(changes), model)).rejects.toThrow(message);
  });

  it('a corrupt config', async () => {
    const directory = await adapterWith({});
    await writeFile(join(directory, 'adapter_config.json'), '{"r": 4,');
    await expect(loadAdapter(directory, model)).rejects.toThrow(/adapter_config\.json is not valid JSON/);
  });

  it('missing files', async () => {
    const directory = await adapterWith({});
    await rm(join(directory, 'adapter_model.safetensors'));
    await expect(loadAdapter(directory, model)).rejects.toThrow(/adapter_model\.safetensors does not exist/);
    await expect(loadAdapter('/no/such/adapter', model)).rejects.toThrow(
      '/no/such/adapter/adapter_config.json does not exist. Give the directory that holds',
    );
  });

  it('an adapter of another model', async () => {
    const other = parseModelConfig(readGoldenJson('models/qwen3/config.json'), 'qwen3');
    await expect(loadAdapter(goldenPath('adapters/query-value'), other)).rejects.toThrow(/has shape .* mean/);
  });
});
