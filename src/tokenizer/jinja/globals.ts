import { rawText } from './text.js';
import { Callable, JinjaError, Namespace, number, printed, type Value } from './values.js';

function range(args: readonly Value[]): Value[] {
  const [first = 0, second, step = 1] = args.map((value) => number(value, 'range'));
  const start = second === undefined ? 0 : first;
  const stop = second ?? first;
  if (step === 0) throw new JinjaError('range() needs a step other than 0');
  const out: Value[] = [];
  for (let i = start; step > 0 ? i < stop : i > stop; i += step) out.push(i);
  return out;
}

/** The functions that templates find: Jinja's own and those that transformers adds. */
export const GLOBALS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['range', new Callable(range)],
  ['dict', new Callable((_args, kwargs) => new Map(kwargs))],
  [
    'namespace',
    new Callable(([source], kwargs) => {
      const entries = source instanceof Map ? Array.from(source, ([key, value]) => [String(key), value] as const) : [];
      return new Namespace(new Map<string, Value>([...entries, ...kwargs]));
    }),
  ],
  [
    'raise_exception',
    new Callable(([message]) => {
      const text = rawText(printed(message));
      throw new JinjaError(text, text);
    }),
  ],
  ['strftime_now', new Callable(([format]) => strftime(new Date(), rawText(printed(format))))],
]);

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** Python's strftime in the C locale, in local time. */
function strftime(date: Date, format: string): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const hour12 = date.getHours() % 12 || 12;
  const yearDay =
    Math.round(
      (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - Date.UTC(date.getFullYear(), 0, 1)) / 86_400_000,
    ) + 1;
  const fields: Readonly<Record<string, string>> = {
    Y: String(date.getFullYear()),
    y: two(date.getFullYear() % 100),
    m: two(date.getMonth() + 1),
    d: two(date.getDate()),
    e: String(date.getDate()).padStart(2, ' '),
    B: MONTHS[date.getMonth()]!,
    b: MONTHS[date.getMonth()]!.slice(0, 3),
    A: DAYS[date.getDay()]!,
    a: DAYS[date.getDay()]!.slice(0, 3),
    H: two(date.getHours()),
    I: two(hour12),
    M: two(date.getMinutes()),
    S: two(date.getSeconds()),
    p: date.getHours() < 12 ? 'AM' : 'PM',
    j: String(yearDay).padStart(3, '0'),
    '%': '%',
  };
  return format.replace(/%(-?)([A-Za-z%])/g, (whole, bare: string, letter: string) => {
    const field = fields[letter];
    if (field === undefined) return whole;
    return bare === '' ? field : field.replace(/^[0 ]+(?=.)/, '');
  });
}
