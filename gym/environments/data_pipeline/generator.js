function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const first = ['Ana', 'Bo', 'Chloé', 'Dmitri', '李', 'Fatima', 'Göran', 'Hana', 'Ívar', 'José', 'Kofi', 'Ludmiła'];
const last = ['Silva', "O'Neil", 'Øst', 'Petrov', '伟', 'van der Berg', 'Smith', 'Ng', 'Müller', 'Đặng'];
const cities = ['Lisbon', 'Reykjavík', 'Washington, D.C.', '"Old" Town', 'São Paulo', '東京', 'Ulm'];
const badAges = ['', 'n/a', '-3', '41.5', '200', 'forty', '1e2'];
const badIncomes = ['', 'unknown', '1,200', '12k', '--'];
const notes = ['', 'likes, commas', 'two\nlines', 'says "hi"', 'plain', '  spaces  ', 'π ≈ 3'];

const quoted = (field) => `"${field.replace(/"/g, '""')}"`;

export function generate({ count, seed, parameters }) {
  const random = mulberry32(seed);
  const int = (low, high) => low + Math.floor(random() * (high - low + 1));
  const pick = (items) => items[int(0, items.length - 1)];
  const shuffled = (items) => {
    const left = [...items];
    return items.map(() => left.splice(int(0, left.length - 1), 1)[0]);
  };
  return Array.from({ length: count }, () => {
    const columns = shuffled(['name', 'age', 'city', 'income', ...(random() < 0.7 ? ['note'] : [])]);
    const minAge = int(25, 45);
    const number = parameters?.rows ?? int(20, 60);
    const rows = Array.from({ length: number }, (_, index) => {
      const age = index === 0 ? minAge : index === 1 ? minAge + 1 : int(12, 90);
      const cents = int(-5000, 900000);
      const income = random() < 0.3 ? String(Math.round(cents / 100)) : (cents / 100).toFixed(2);
      return {
        name: `${pick(first)} ${pick(last)}`,
        age: random() < 0.12 && index > 1 ? pick(badAges) : random() < 0.1 ? ` ${age} ` : String(age),
        city: pick(cities),
        income: random() < 0.15 ? pick(badIncomes) : income,
        note: pick(notes),
      };
    });
    const end = random() < 0.3 ? '\r\n' : '\n';
    const field = (text) => (/[",\r\n]/.test(text) || random() < 0.1 ? quoted(text) : text);
    const records = rows.map((row) => columns.map((column) => row[column]));
    const csv = [columns, ...records].map((record) => record.map(field).join(',') + end).join('');

    const ageOf = (row) => (/^ *[0-9]+ *$/.test(row.age) && Number(row.age) <= 150 ? Number(row.age) : null);
    const kept = rows
      .map((row, index) => ({ row, index, age: ageOf(row) }))
      .filter(({ age }) => age !== null && age > minAge)
      .sort((a, b) => b.age - a.age || a.index - b.index)
      .map(({ row }) => row);
    const cents = {};
    for (const { city, income } of kept) {
      const counts = /^-?[0-9]+(\.[0-9]+)?$/.test(income);
      cents[city] = (cents[city] ?? 0) + (counts ? Math.round(Number(income) * 100) : 0);
    }
    return {
      input: { files: { 'input.csv': csv }, env: { MIN_AGE: String(minAge) } },
      expected: {
        records: [columns, ...kept.map((row) => columns.map((column) => row[column]))],
        rows: rows.length,
        kept: kept.length,
        bad_age: rows.filter((row) => ageOf(row) === null).length,
        cents: Object.entries(cents),
      },
    };
  });
}
