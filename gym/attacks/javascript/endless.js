// Never returns, recurses without end, or returns things without an end.
function QA_FUNCTION() { while (true); }
// ---
while (true);
// ---
function QA_FUNCTION(...args) { return QA_FUNCTION(...args); }
// ---
async function QA_FUNCTION() { while (true) await null; }
// ---
function QA_FUNCTION() { const loop = []; loop.push(loop); return loop; }
// ---
function QA_FUNCTION() { let deep = []; for (let i = 0; i < 1e5; i++) deep = [deep]; return deep; }
// ---
function QA_FUNCTION() { return Array(1e5).fill(Array(1e3).fill(0)); }
// ---
function QA_FUNCTION() { throw { get message() { process.exit(0); }, toString() { process.exit(0); } }; }
// ---
function QA_FUNCTION() { queueMicrotask(() => { throw new Error('late'); }); return null; }
// ---
function QA_FUNCTION() { process.abort(); }
// ---
process.exitCode = 0;
process.emit('uncaughtException', null);
process.exit = () => {};
function QA_FUNCTION() { process.emit('exit', 0); return null; }
