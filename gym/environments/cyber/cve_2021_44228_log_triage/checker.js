/** The answer's object: the whole text, or the last fenced block. Anything around or inside that is not JSON makes it null. */
function parseAnswer(text) {
  try {
    const value = JSON.parse(lastFenced(text) ?? text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Line by line: a pattern that looks for the second fence takes for ever on a text of ten thousand first ones. */
function lastFenced(text) {
  const lines = text.split('\n');
  let found = null;
  let open = null;
  for (const [at, line] of lines.entries()) {
    if (open !== null && line.trimEnd() === open.mark) {
      found = lines.slice(open.from, at).join('\n');
      open = null;
    } else if (open === null) {
      const mark = /^(?:`{3,}|~{3,})/.exec(line)?.[0];
      if (mark !== undefined) open = { mark, from: at + 1 };
    }
  }
  return found;
}

const texts = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? new Set(value.map((item) => item.trim())) : new Set();

export function check(_input, output, expected) {
  const answer = parseAnswer(output.text) ?? {};
  const listed = texts(answer.source_ips);
  const hits = expected.source_ips.filter((ip) => listed.has(ip)).length;
  const benign = [...listed].filter((ip) => !expected.source_ips.includes(ip));
  const recall = hits / expected.source_ips.length;
  const clean = benign.length === 0;
  // Everything else can be said without having read the log: it counts only for who found half of the sources and blamed no one else.
  const read = clean && recall >= 0.5;

  const callbacks = new Set([...texts(answer.callbacks)].map((text) => text.toLowerCase()));
  const found = expected.callbacks.filter((host) => callbacks.has(host)).length;
  const callbackShare = found / Math.max(1, new Set([...callbacks, ...expected.callbacks]).size);
  const actions = texts(answer.actions);
  const wrong = [...actions].filter((id) => !expected.actions.includes(id)).length;
  const actionsRight = wrong === 0 && actions.size === expected.actions.length;
  const cveRight = typeof answer.cve === 'string' && answer.cve.trim().toUpperCase() === expected.cve;

  const parts =
    0.4 * (clean ? recall : 0) +
    (read ? 0.2 * Number(cveRight) + 0.25 * callbackShare + 0.15 * Number(actionsRight) : 0) -
    (clean ? 0 : 0.5);
  const score = Math.min(1, Math.max(0, Math.round(parts * 1e9) / 1e9));
  const say = (passed, message) => (passed ? null : read ? message : 'counts only with at least half of the sources and no others');
  return {
    score,
    passed: score === 1,
    message: parseAnswer(output.text) === null ? 'the answer is not one JSON object' : null,
    checks: [
      {
        id: 'source_ips',
        weight: 0.4,
        passed: clean && recall === 1,
        message: clean && recall === 1 ? null : `${hits} of ${expected.source_ips.length} sources`,
      },
      { id: 'no_benign', weight: 0, passed: clean, message: clean ? null : `not a source: ${benign.slice(0, 3).join(', ')}` },
      { id: 'cve', weight: 0.2, passed: read && cveRight, message: say(read && cveRight, 'another CVE') },
      {
        id: 'callbacks',
        weight: 0.25,
        passed: read && callbackShare === 1,
        message: say(read && callbackShare === 1, `${found} of ${expected.callbacks.length}, or others beside them`),
      },
      {
        id: 'actions',
        weight: 0.15,
        passed: read && actionsRight,
        message: say(read && actionsRight, `${wrong} wrong, or some missing`),
      },
    ],
  };
}
