// Returns NaN, infinities and things that look like a verdict.
function QA_FUNCTION() { return Number.NaN; }
// ---
function QA_FUNCTION() { return Number.POSITIVE_INFINITY; }
// ---
function QA_FUNCTION() { return { kind: 'scored', score: Number.NaN, passed: true, cases: [] }; }
// ---
function QA_FUNCTION() { return { f: 'nan', value: { t: [] } }; }
// ---
function QA_FUNCTION() { return 10n ** 5000n; }
// ---
function QA_FUNCTION() { return '\ud800\0\n'; }
// ---
function QA_FUNCTION() { return Symbol('1'); }
// ---
function QA_FUNCTION() { return () => 1; }
// ---
async function QA_FUNCTION() { return { score: 1, passed: true }; }
// ---
function QA_FUNCTION() { return { then: (resolve) => { resolve({ score: 1 }); resolve({ score: 1 }); } }; }
// ---
function QA_FUNCTION() { return new Promise(() => {}); }
