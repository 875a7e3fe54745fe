export function parseCsv(text) {
  const records = [];
  let record = [];
  let at = 0;
  const lineBreak = () => (text[at] === '\n' ? 1 : text.startsWith('\r\n', at) ? 2 : 0);
  while (at < text.length || record.length > 0) {
    let field = '';
    if (text[at] === '"') {
      for (at += 1; ; at += 2) {
        const end = text.indexOf('"', at);
        if (end < 0) return null;
        field += text.slice(at, end);
        at = end;
        if (text[at + 1] !== '"') break;
        field += '"';
      }
      at += 1;
    } else {
      const start = at;
      while (at < text.length && text[at] !== ',' && text[at] !== '"' && lineBreak() === 0) at += 1;
      field = text.slice(start, at);
    }
    record.push(field);
    if (text[at] === ',') at += 1;
    else if (at < text.length && lineBreak() === 0) return null;
    else {
      at += lineBreak();
      records.push(record);
      record = [];
    }
  }
  return records;
}
