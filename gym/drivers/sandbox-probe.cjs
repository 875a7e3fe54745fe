// Runs inside a sandbox and attacks it. Prints as JSON, by the name of a protection, what got through; null where nothing did.
// Its argument: {port: of this machine, pid: of a process outside, secretFile, paths: that must not be there}.
'use strict';
const { spawnSync } = require('node:child_process');
const { existsSync, readFileSync, readdirSync, writeFileSync } = require('node:fs');
const { connect } = require('node:net');

const { port, pid, secretFile, paths } = JSON.parse(process.argv[2]);
const knownVariables = [
  ...['PATH', 'HOME', 'TMPDIR', 'USER', 'LOGNAME', 'LANG', 'PYTHONDONTWRITEBYTECODE'],
  ...['PWD', 'OLDPWD', 'SHLVL', '_'],
];

const attempt = (attack) => {
  try {
    return attack();
  } catch {
    return null;
  }
};

const first = (...attacks) => attacks.map(attempt).find((result) => result !== null) ?? null;

const reachPort = () =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve('reached a port of this machine'));
    socket.on('error', () => resolve(null));
    setTimeout(() => resolve(null), 1000).unref();
  });

const network = () => {
  const lines = readFileSync('/proc/net/dev', 'utf8').split('\n').slice(2);
  const devices = lines.map((line) => line.split(':')[0].trim()).filter((name) => name !== '' && name !== 'lo');
  return devices.length > 0 ? `sees the devices ${devices.join(', ')}` : null;
};

const manyProcesses = () => {
  const seen = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length;
  return seen > 6 ? `sees ${seen} processes` : null;
};

const write = (path) => () => {
  writeFileSync(path, '');
  return `wrote ${path}`;
};

const privileges = () => {
  const status = readFileSync('/proc/self/status', 'utf8');
  const field = (name) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1] ?? '';
  if (process.getuid() === 0) return 'runs as root';
  if (/[1-9a-f]/.test(field('CapEff') + field('CapBnd').replace(/^0+$/, ''))) return `has capabilities ${field('CapEff')}`;
  return field('NoNewPrivs') === '1' ? null : 'can gain privileges from programs';
};

const filter = () =>
  /^Seccomp:\s*2$/m.test(readFileSync('/proc/self/status', 'utf8')) ? null : `there is none for ${process.arch}`;

reachPort().then((reached) => {
  const found = {
    network: reached ?? first(network),
    processes: first(manyProcesses, () => (process.kill(pid, 0) ? `reached process ${pid}` : null)),
    files: first(
      () => `read ${secretFile}: ${readFileSync(secretFile, 'utf8')}`,
      ...paths.map((path) => () => (existsSync(path) ? `read ${path}` : null)),
      ...['/anneal-probe', '/usr/anneal-probe', '/dev/anneal-probe', '/etc/anneal-probe'].map(write),
    ),
    environment: Object.keys(process.env).filter((name) => !knownVariables.includes(name)).join(', ') || null,
    privileges: privileges(),
    namespaces: spawnSync('unshare', ['--user', 'true']).status === 0 ? 'made a user namespace' : null,
    filter: filter(),
  };
  process.stdout.write(JSON.stringify(found));
});
