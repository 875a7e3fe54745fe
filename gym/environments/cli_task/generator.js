function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function generate({ count, seed }) {
  const random = mulberry32(seed);
  const int = (low, high) => low + Math.floor(random() * (high - low + 1));
  const pick = (items) => items[int(0, items.length - 1)];
  const hex = (length) => Array.from({ length }, () => int(0, 15).toString(16)).join('');
  return Array.from({ length: count }, () => {
    const name = pick(['Mina Okafor', 'Lars Ångström', 'Wei Chen', 'Rosa de la Cruz']);
    const env = {
      AUTHOR_NAME: name,
      AUTHOR_EMAIL: `${hex(5)}@example.org`,
      PROJECT: `${pick(['Lantern', 'Sea Glass', 'Zwölf', 'orbit'])} ${hex(3)}`,
      TAG: `v${int(0, 3)}.${int(0, 20)}.${int(0, 9)}`,
      BRANCH: pick(['feature', `fix/${hex(4)}`, `topic-${hex(3)}`, `user/lars/${hex(2)}`]),
      FILE_NAME: pick(['hello.txt', `notes/${hex(3)}.txt`, 'read me.txt', `a/b/${hex(2)} c.md`, `größe-${hex(2)}.txt`]),
      FILE_TEXT: pick([`Hello, ${hex(6)}!`, `cost: $${int(1, 99)} "net"`, `it's 100% ${hex(4)}`, `back\\slash ${hex(4)}`]),
      COMMIT_MESSAGE: pick([`Add the file (${hex(4)})`, `Say "hello", ${hex(4)}`, `Größe #${int(1, 999)}: it's here`]),
    };
    return { input: { env: { ...env, REPO_DIR: `{{work}}/${pick(['repo', 'my repo', 'r'])}-${hex(6)}` } }, expected: env };
  });
}
