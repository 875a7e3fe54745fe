/** The records of a CSV text by RFC 4180, or null where it is not one. */
function parseCsv(text) {
  const records = [];
  let record = [];
  let i = 0;
  while (i < text.length) {
    let field = '';
    if (text[i] === '"') {
      for (i++; ; i++) {
        if (i >= text.length) return null;
        if (text[i] !== '"') field += text[i];
        else if (text[i + 1] === '"') field += text[i++];
        else break;
      }
      i++;
    } else {
      while (i < text.length && !',\r\n'.includes(text[i])) field += text[i++];
    }
    record.push(field);
    if (text[i] === ',') {
      i++;
      if (i < text.length && !'\r\n'.includes(text[i])) continue;
      record.push('');
    }
    if (text[i] === '\r') i++;
    if (i < text.length && text[i++] !== '\n') return null;
    records.push(record);
    record = [];
  }
  return records;
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const sorted = (records) => records.map((record) => JSON.stringify(record)).sort();

function summaryOf(file) {
  try {
    const summary = JSON.parse(file.text);
    return typeof summary === 'object' && summary !== null ? summary : {};
  } catch {
    return {};
  }
}

function incomesRight(incomes, cents) {
  if (typeof incomes !== 'object' || incomes === null) return false;
  if (Object.keys(incomes).length !== cents.length) return false;
  return cents.every(
    ([city, amount]) =>
      Object.hasOwn(incomes, city) &&
      typeof incomes[city] === 'number' &&
      Math.abs(incomes[city] - amount / 100) < 0.0051,
  );
}

export function check(_input, output, expected) {
  const written = output.files['output.csv'];
  const records = written?.text === undefined ? null : parseCsv(written.text.replace(/^\ufeff/, ''));
  const [header, ...rows] = expected.records;
  const headerRight = records !== null && same(records[0], header);
  const rowsRight = headerRight && same(sorted(records.slice(1)), sorted(rows));
  const orderRight = rowsRight && same(records.slice(1), rows);
  const summary = summaryOf(output.files['summary.json'] ?? {});
  // Sums and counts are read out of the kept rows: without those they are guesses.
  const countsRight =
    rowsRight &&
    summary.rows === expected.rows &&
    summary.kept === expected.kept &&
    summary.bad_age === expected.bad_age;
  const incomeRight = rowsRight && incomesRight(summary.income_by_city, expected.cents);
  const printed = rowsRight && output.exit_code === 0 && output.stdout.trim() === String(expected.kept);
  const say = (passed, message) => (passed ? null : message);
  return {
    checks: [
      {
        id: 'rows',
        weight: 0.45,
        passed: rowsRight,
        message: say(
          rowsRight,
          records === null
            ? 'output.csv is missing or no CSV'
            : headerRight
              ? `other rows than wanted (${records.length - 1} of ${rows.length})`
              : 'another header',
        ),
      },
      { id: 'order', weight: 0.15, passed: orderRight, message: say(orderRight, 'rows are missing or in another order') },
      { id: 'counts', weight: 0.15, passed: countsRight, message: say(countsRight, 'rows, kept or bad_age is wrong') },
      { id: 'income_by_city', weight: 0.15, passed: incomeRight, message: say(incomeRight, 'a sum or a city is wrong') },
      { id: 'printed', weight: 0.1, passed: printed, message: say(printed, 'the number printed is wrong') },
    ],
  };
}
