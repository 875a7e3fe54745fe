// Calls functions of JavaScript answers. Node >= 20, no packages.
//
//   driver.mjs serve FD           jobs come and lines go over descriptor FD; after an answer's job the process is killed from outside
//   driver.mjs once JOB REPORT    one job from a file, its report to a file, as it stands (no isolation of its own)
//
// A job is a frame: four bytes of length (big endian) and JSON (see driver.py). Lines are JSON: first ["hello"], then for each job
// ["ready"], ["absent"] or ["load", type, message], and for each call ["v", Value, ms] or ["e", type, message, ms]. ["again"] after one of
// these says that the other calls need a new process.
// The answer runs in this process. What it writes to the channel is worth no more than the answer is.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { closeSync, existsSync, readdirSync, readFileSync, readlinkSync, readSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { compileFunction, constants } from 'node:vm';

const maxDepth = 200;
const maxNodes = 1_000_000;
const maxIntBits = 2 ** 18;
const { parse, stringify } = JSON;
const now = performance.now.bind(performance);
const write = writeSync;
const { asIntN } = BigInt;

// ------------------------------------------------------------------------------------------------------------------- values

class Unsayable extends TypeError {}

/** A Value of what a function returned. */
function encode(top) {
  let left = maxNodes;
  const path = new Set();

  const items = (list, value, depth) => {
    if (depth > maxDepth) throw new Unsayable(`cannot return a value nested deeper than ${maxDepth}`);
    if (path.has(value)) throw new Unsayable('cannot return a value that contains itself');
    path.add(value);
    const done = [];
    for (let i = 0; i < list.length; i++) done.push(walk(list[i], depth + 1));
    path.delete(value);
    return done;
  };
  const pairs = (entries, value, depth) => {
    const flat = items(entries.flat(1), value, depth);
    const done = [];
    for (let i = 0; i < flat.length; i += 2) done.push([flat[i], flat[i + 1]]);
    return done;
  };
  const walk = (value, depth) => {
    if (--left < 0) throw new Unsayable(`cannot return more than ${maxNodes} values`);
    switch (typeof value) {
      case 'undefined':
        return null;
      case 'boolean':
      case 'string':
        return value;
      case 'number':
        return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : { f: floatText(value) };
      case 'bigint': {
        const safe = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
        if (safe) return Number(value);
        if (asIntN(maxIntBits, value) !== value) throw new Unsayable(`cannot return a bigint of more than ${maxIntBits} bits`);
        return { i: String(value) };
      }
      case 'object':
        return value === null ? null : object(value, depth);
      default:
        throw new Unsayable(`cannot return a ${typeof value}`);
    }
  };
  const object = (value, depth) => {
    if (Array.isArray(value)) return items(value, value, depth);
    if (value instanceof Uint8Array) return { b: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return items(value, value, depth);
    if (value instanceof Set) return { s: items([...Set.prototype.values.call(value)], value, depth) };
    if (value instanceof Map) return { d: pairs([...Map.prototype.entries.call(value)], value, depth) };
    const prototype = Object.getPrototypeOf(value);
    if (prototype === null || Object.getPrototypeOf(prototype) === null) {
      if (typeof value.next !== 'function') return { d: pairs(Object.entries(value), value, depth) };
    }
    if (typeof value.next === 'function') throw new Unsayable('cannot return an iterator; return an array');
    throw new Unsayable(`cannot return a ${String(value.constructor?.name || 'nameless object').slice(0, 100)}`);
  };
  return walk(top, 0);
}

function floatText(value) {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function decode(value) {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== 'object' || value === null) return value;
  const [[tag, content]] = Object.entries(value);
  switch (tag) {
    case 'i':
      return BigInt(content);
    case 'f':
      return content === 'inf' ? Infinity : content === '-inf' ? -Infinity : Number(content);
    case 't':
      return content.map(decode);
    case 's':
      return new Set(content.map(decode));
    case 'd': {
      const entries = content.map(([key, item]) => [decode(key), decode(item)]);
      return entries.every(([key]) => typeof key === 'string') ? Object.fromEntries(entries) : new Map(entries);
    }
    case 'b':
      return new Uint8Array(Buffer.from(content, 'base64'));
    default:
      throw new TypeError(`no such tag: ${tag}`);
  }
}

// ------------------------------------------------------------------------------------------------------------------- answer

/** [type, message] of whatever was thrown. */
function described(error) {
  try {
    if (error instanceof Unsayable) return ['TypeError', error.message];
    if (typeof error !== 'object' || error === null) return ['Error', `threw ${String(error)}`.slice(0, 2000)];
    const type = String(error.name ?? error.constructor?.name ?? 'Error').slice(0, 100);
    return [type, `${String(error.message ?? '')}${lineOf(error)}`.slice(0, 2000)];
  } catch {
    return ['Error', 'an error that cannot be described'];
  }
}

/** Of a syntax error. */
function lineOf(error) {
  const line = error instanceof SyntaxError ? /^answer\.js:(\d+)$/m.exec(String(error.stack).split('\n')[0]) : null;
  return line === null ? '' : ` (line ${line[1]})`;
}

const isIdentifier = (name) => /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(name);

/** The answer's function; undefined when it has none of this name. */
async function load(source, name) {
  let failure;
  try {
    return loadScript(source, name);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    failure = error;
  }
  if (!/\b(import|export|await)\b/.test(source)) throw failure;
  const [module, problem] = await loadModule(source, name);
  if (problem === null) return pick(module.anneal_answer ?? module[name], module.default, name);
  throw /\b(import|export|await)\b/.test(String(failure.message)) || !(problem instanceof SyntaxError) ? problem : failure;
}

/** CommonJS, or plain declarations. */
function loadScript(source, name) {
  const tail = isIdentifier(name) ? `\n;return typeof ${name} === 'undefined' ? undefined : ${name};` : '';
  const run = compileFunction(source + tail, ['exports', 'require', 'module', '__filename', '__dirname'], {
    filename: 'answer.js',
    // for `import()`; older versions of Node cannot
    importModuleDynamically: constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  const declared = run.call(module.exports, module.exports, createRequire('/answer.js'), module, '/answer.js', '/');
  return pick(module.exports?.[name] ?? declared, module.exports, name);
}

async function loadModule(source, name) {
  const url = (text) => `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;
  // What is declared but not exported counts, too; the module that says so does not link where nothing is declared.
  const tails = isIdentifier(name) ? [`\n;export { ${name} as anneal_answer };`, ''] : [''];
  let problem;
  for (const tail of tails) {
    try {
      return [await import(url(source + tail)), null];
    } catch (error) {
      problem = error;
      if (!(error instanceof SyntaxError)) break;
    }
  }
  return [null, withoutUrl(problem)];
}

/** The whole text of the answer is the module's URL, and no message should hold it. */
function withoutUrl(error) {
  if (error instanceof Error) error.message = error.message.replace(/data:text\/javascript;base64,[\w+/=]*/g, 'the answer');
  return error;
}

function pick(named, whole, name) {
  if (typeof named === 'function') return named;
  if (typeof whole?.[name] === 'function') return whole[name];
  return typeof whole === 'function' ? whole : undefined;
}

async function run(job, say) {
  let started = now();
  let stage = 'load';
  const failed = (error) => {
    say(stage === 'load' ? ['load', ...described(error)] : ['e', ...described(error), now() - started]);
    // This process is spent; the calls that are left are made in another.
    say(['again']);
    process.exit(0);
  };
  // Also what is thrown in timers, and promises that nobody looks after.
  process.on('uncaughtException', failed);
  const stuck = () => failed(new Error('it awaits what nothing will ever settle'));
  process.on('beforeExit', stuck);
  try {
    let made;
    try {
      made = await load(job.source, job.function);
    } catch (error) {
      return say(['load', ...described(error)]);
    }
    if (made === undefined) return say(['absent']);
    say(['ready']);
    stage = 'call';
    for (const call of job.calls) {
      let said;
      started = now();
      try {
        const given = parse(call).map(decode);
        started = now();
        const returned = await made(...given);
        const ms = now() - started;
        said = ['v', encode(returned), ms];
      } catch (error) {
        said = ['e', ...described(error), now() - started];
      }
      say(said);
    }
  } finally {
    process.off('uncaughtException', failed);
    process.off('beforeExit', stuck);
  }
}

// ------------------------------------------------------------------------------------------------------------------ process

function readExactly(descriptor, count) {
  const bytes = Buffer.alloc(count);
  for (let held = 0; held < count; ) {
    const more = readSync(descriptor, bytes, held, count - held, null);
    if (more === 0) process.exit(0);
    held += more;
  }
  return bytes;
}

/**
 * Closes what some process far above has left open to all its descendants, such as a terminal. Node's own are anonymous inodes,
 * /dev/null, and pipes with low numbers.
 */
function closeInherited(channel) {
  const own = (target, fd) => /^anon_inode:|^\/dev\/null$/.test(target) || (target.startsWith('pipe:') && fd < 64);
  for (const fd of existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').map(Number) : []) {
    try {
      if (fd > 2 && fd !== channel && !own(readlinkSync(`/proc/self/fd/${fd}`), fd)) closeSync(fd);
    } catch {
      // The descriptor that listed them is gone by now.
    }
  }
}

async function serve(descriptor) {
  closeInherited(descriptor);
  const say = (item) => {
    const line = Buffer.from(`${stringify(item)}\n`);
    for (let done = 0; done < line.length; ) done += write(descriptor, line, done);
  };
  process.argv.length = 0;
  say(['hello']);
  for (;;) {
    const job = parse(readExactly(descriptor, readExactly(descriptor, 4).readUInt32BE()).toString());
    await run(job, say);
  }
}

async function once(jobFile, reportFile) {
  const { attempt, startedHere } = await import('./attempt.mjs');
  const job = parse(readFileSync(jobFile, 'utf8'));
  const writeReport = (report) => {
    writeFileSync(`${reportFile}.part`, stringify(report));
    renameSync(`${reportFile}.part`, reportFile);
  };
  // What stands there when the answer kills this process.
  writeReport({ lines: [], end: 'ended', detail: 'killed', stdout: '', stderr: '', ms: 0 });
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${job.memory_mb}`, fileURLToPath(import.meta.url), 'serve', '3'],
    { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true, env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' } },
  );
  try {
    writeReport(await attempt(startedHere(child), job, { keep: false }));
  } catch (error) {
    writeReport({ broken: String(error?.message ?? error) });
  }
  // Whatever an answer has left open.
  process.exit(0);
}

const [verb, first, second] = process.argv.slice(2);
await (verb === 'serve' ? serve(Number(first)) : once(first, second));
