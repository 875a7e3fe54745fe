// A folder of src/ is a room. Each room lists the rooms it may import; everything else is refused.
// `text` (words for messages) imports nothing and all may import it.
const arrows = {
  text: [],
  files: [],
  random: [],
  graph: [],
  models: ['graph', 'files', 'random'],
  tokenizer: [],
  engine: ['graph', 'models'],
  config: [],
  data: ['tokenizer', 'config', 'random'],
  methods: ['graph', 'engine', 'data'],
  gym: ['config'],
  rollout: ['engine', 'gym', 'tokenizer', 'files'],
  rl: ['graph', 'engine', 'data', 'rollout', 'methods'],
  observe: [],
  run: [
    'files',
    'graph',
    'models',
    'tokenizer',
    'engine',
    'config',
    'data',
    'methods',
    'gym',
    'rollout',
    'rl',
    'observe',
  ],
  quickstart: ['tokenizer', 'config', 'data', 'observe', 'random', 'rollout', 'run'],
};

module.exports = {
  forbidden: [
    // The gradient of one op is made of other ops, so the files of graph/ops import each other.
    { name: 'no-circular', severity: 'error', from: { pathNot: '^src/graph/' }, to: { circular: true } },
    ...Object.entries(arrows).map(([room, allowed]) => ({
      name: `${room}-may-import-only-${allowed.join('-') || 'itself'}`,
      severity: 'error',
      from: { path: `^src/${room}/` },
      to: { path: '^src/', pathNot: `^src/(${['text', room, ...allowed].join('|')})/` },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
