// Starts children, daemons and threads that outlive the answer.
const load = (name) => (process.getBuiltinModule ? process.getBuiltinModule(name) : require(name));
try {
  const { spawn } = load('node:child_process');
  for (let i = 0; i < 100; i++) {
    const child = spawn('sleep', ['1000'], { argv0: QA_TOKEN, detached: i % 2 === 0, stdio: i % 3 === 0 ? 'inherit' : 'ignore' });
    child.on('error', () => {});
    child.unref();
  }
} catch {}
try {
  const { Worker } = load('node:worker_threads');
  for (let i = 0; i < 20; i++) new Worker('while (true);', { eval: true }).on('error', () => {});
} catch {}
setInterval(() => {}, 10);
function QA_FUNCTION() {
  return null;
}
// ---
try {
  const { execSync } = process.getBuiltinModule ? process.getBuiltinModule('node:child_process') : require('node:child_process');
  execSync(`bomb() { bomb | bomb & }; bomb`, { timeout: 500, stdio: 'ignore' });
} catch {}
function QA_FUNCTION() {
  return null;
}
