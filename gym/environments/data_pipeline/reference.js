import { readFileSync, writeFileSync } from 'node:fs';

function parse(text) {
  const records = [[]];
  let field = '';
  let inQuotes = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (inQuotes) {
      if (c !== '"') field += c;
      else if (text[i + 1] === '"') field += text[i++];
      else inQuotes = false;
    } else if (c === '"') inQuotes = true;
    else if (c === ',') {
      records.at(-1).push(field);
      field = '';
    } else if (c === '\n') {
      records.at(-1).push(field);
      field = '';
      records.push([]);
    } else if (c !== '\r') field += c;
  }
  return records.slice(0, -1);
}

const minimum = Number(process.env.MIN_AGE);
const [header, ...rows] = parse(readFileSync('input.csv', 'utf8'));
const at = (name) => header.indexOf(name);
const ageOf = (row) => {
  const text = row[at('age')].replace(/^ +| +$/g, '');
  return /^[0-9]+$/.test(text) && Number(text) <= 150 ? Number(text) : null;
};

const kept = rows.filter((row) => ageOf(row) !== null && ageOf(row) > minimum).sort((a, b) => ageOf(b) - ageOf(a));
const cents = new Map();
for (const row of kept) {
  const income = row[at('income')];
  const amount = /^-?[0-9]+(\.[0-9]+)?$/.test(income) ? Math.round(Number(income) * 100) : 0;
  cents.set(row[at('city')], (cents.get(row[at('city')]) ?? 0) + amount);
}

const quote = (field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
writeFileSync('output.csv', [header, ...kept].map((record) => `${record.map(quote).join(',')}\n`).join(''));
writeFileSync(
  'summary.json',
  JSON.stringify({
    rows: rows.length,
    kept: kept.length,
    bad_age: rows.filter((row) => ageOf(row) === null).length,
    income_by_city: Object.fromEntries([...cents].map(([city, sum]) => [city, sum / 100])),
  }),
);
console.log(kept.length);
