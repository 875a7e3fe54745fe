// Takes all memory there is, or unpacks a little into far too much.
function QA_FUNCTION() {
  const taken = [];
  while (true) taken.push(Buffer.alloc(1 << 26, 1));
}
// ---
function QA_FUNCTION() {
  const taken = [];
  while (true) taken.push(new Array(1e6).fill({}));
}
// ---
function QA_FUNCTION() {
  const zlib = process.getBuiltinModule ? process.getBuiltinModule('node:zlib') : require('node:zlib');
  const packed = zlib.gzipSync(Buffer.alloc(1 << 26));
  const unpacked = [];
  for (let i = 0; i < 200; i++) unpacked.push(zlib.gunzipSync(packed));
  return unpacked.length;
}
// ---
function QA_FUNCTION() {
  return 'x'.repeat(5e8);
}
