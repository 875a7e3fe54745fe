// A number as people and models write it: 1,234.50  $18  -3  .5  12%
const DIGITS = String.raw`(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)`;
const CURRENCY = String.raw`\\?[$€£]`;
const WHOLE = new RegExp(String.raw`^([-+]?)\s*(?:${CURRENCY})?\s*([-+]?)(${DIGITS})\s*\\?%?\s*\.?$`);
// A minus right behind a digit, a letter or a bracket subtracts: 16-3 ends in 3.
const ANYWHERE = new RegExp(String.raw`((?<![\w).,])-)?(?:${CURRENCY})?((?<![\w).,])-)?(${DIGITS})`, 'g');

/**
 * The text as one number in canonical decimal form ("1,234.50" → "1234.5"), or null when it is anything else. Currency
 * signs, a percent sign and a closing full stop are decoration. Compared as text, so no digit is lost to rounding.
 */
export function parseNumber(text: string): string | null {
  const match = WHOLE.exec(plainMinus(text.trim()));
  if (!match) return null;
  const [, before, after, digits] = match;
  return canonical(before === '-' || after === '-', digits!);
}

/** The last number in a text, in canonical decimal form; null without one. Of a fraction it sees the denominator. */
export function lastNumber(text: string): string | null {
  let last: RegExpMatchArray | null = null;
  for (const match of plainMinus(text).matchAll(ANYWHERE)) last = match;
  return last && canonical(Boolean(last[1] ?? last[2]), last[3]!);
}

function canonical(negative: boolean, digits: string): string {
  const [whole = '', fraction = ''] = digits.replaceAll(',', '').split('.');
  const significant = fraction.replace(/0+$/, '');
  const value = (whole.replace(/^0+/, '') || '0') + (significant && `.${significant}`);
  return negative && value !== '0' ? `-${value}` : value;
}

function plainMinus(text: string): string {
  return text.replaceAll('\u2212', '-');
}
