// Reads the environment, other processes and a file outside, also through links.
try {
  const fs = process.getBuiltinModule ? process.getBuiltinModule('node:fs') : require('node:fs');
  console.log(JSON.stringify(process.env));
  let pids = ['self', '1', String(process.ppid)];
  try { pids = pids.concat(fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))); } catch {}
  for (const pid of pids) {
    for (const name of ['environ', 'cmdline', `root${QA_DIRECTORY}/secret`, `cwd/../../../../../..${QA_DIRECTORY}/secret`]) {
      try { console.log(fs.readFileSync(`/proc/${pid}/${name}`, 'utf8')); } catch {}
    }
  }
  const secret = `${QA_DIRECTORY}/secret`;
  try { console.log(fs.readFileSync(secret, 'utf8')); } catch {}
  for (const make of [fs.symlinkSync, fs.linkSync]) {
    try {
      make(secret, `link-${make.name}`);
      console.log(fs.readFileSync(`link-${make.name}`, 'utf8'));
      fs.appendFileSync(`link-${make.name}`, QA_TOKEN);
    } catch {}
  }
} catch {}
function QA_FUNCTION() {
  return JSON.stringify(process.env);
}
