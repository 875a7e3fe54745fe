// Connects to the machine outside: TCP, UDP, HTTP, sockets in files and abstract ones.
const load = (name) => (process.getBuiltinModule ? process.getBuiltinModule(name) : require(name));
try {
  const net = load('node:net');
  for (const target of [{ host: '127.0.0.1', port: QA_TCP }, { host: 'localhost', port: QA_TCP }, { path: `${QA_DIRECTORY}/socket` }, { path: `\0${QA_ABSTRACT}` }]) {
    const line = net.connect(target, () => line.end(QA_TOKEN));
    line.on('error', () => {});
  }
  const udp = load('node:dgram').createSocket('udp4');
  udp.on('error', () => {});
  udp.send(QA_TOKEN, QA_UDP, '127.0.0.1');
  fetch(`http://127.0.0.1:${QA_TCP}/${QA_TOKEN}`).catch(() => {});
} catch {}
async function QA_FUNCTION() {
  await new Promise((resolve) => setTimeout(resolve, 100));
  return null;
}
