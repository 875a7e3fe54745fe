import { createProgress, type Progress, type ProgressOptions, renderProgress } from './progress.js';

/** Where a console writes; `process.stderr` and `process.stdout` are such. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface ConsoleOptions {
  /** Log lines and progress. Default `process.stderr`. */
  readonly stderr?: TextStream;
  /** Results. Default `process.stdout`. */
  readonly stdout?: TextStream;
  /** Milliseconds, rising. Default `performance.now`. */
  readonly now?: () => number;
  /** Colours. Default: on a terminal, unless NO_COLOR is set. */
  readonly colour?: boolean;
}

export type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'bold' | 'dim';

/** Everything that a command shows. Lines and progress bars go through one console, so that they never mix. */
export interface Console {
  /** A line for the person who watches, to stderr. */
  log(line: string): void;
  warn(line: string): void;
  /** A result, to stdout. */
  print(line: string): void;
  /** Starts a progress bar; several may be open, the newest below. Off a terminal it is a plain line every few seconds. */
  progress(options: ProgressOptions): Progress;
  paint(colour: Colour, text: string): string;
  /** Takes open bars off the screen. */
  close(): void;
}

const codes: Readonly<Record<Colour, readonly [number, number]>> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  bold: [1, 22],
  dim: [2, 22],
};

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5000;
/** Shorter tasks leave no line off a terminal. */
const WORTH_A_LINE_MS = 2000;

export function createConsole(options: ConsoleOptions = {}): Console {
  const stderr = options.stderr ?? process.stderr;
  const stdout = options.stdout ?? process.stdout;
  const now = options.now ?? (() => performance.now());
  const terminal = stderr.isTTY === true;
  const colour = options.colour ?? (terminal && !process.env.NO_COLOR);
  const bars: Progress[] = [];
  let drawnLines = 0;
  let lastDrawn = Number.NEGATIVE_INFINITY;

  const erase = () => {
    if (drawnLines > 0) stderr.write(`\r\x1b[2K${'\x1b[1A\x1b[2K'.repeat(drawnLines - 1)}`);
    drawnLines = 0;
  };
  const draw = () => {
    if (!terminal || bars.length === 0) return;
    erase();
    const columns = stderr.columns ?? 80;
    stderr.write(bars.map((bar) => renderProgress(bar.state(), columns - 1)).join('\n'));
    drawnLines = bars.length;
    lastDrawn = now();
  };
  const around = (write: () => void) => {
    erase();
    write();
    draw();
  };
  const paint = (name: Colour, text: string) => {
    const [open, close] = codes[name];
    return colour ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  };

  return {
    log: (line) => around(() => stderr.write(`${line}\n`)),
    warn: (line) => around(() => stderr.write(`${paint('yellow', 'warning:')} ${line}\n`)),
    print: (line) => around(() => stdout.write(`${line}\n`)),
    paint,
    progress: (barOptions) => {
      const started = now();
      let lastLine = started;
      const bar = createProgress(barOptions, now, {
        changed: () => {
          if (terminal) {
            if (now() - lastDrawn >= REDRAW_MS) draw();
          } else if (now() - lastLine >= PLAIN_LINE_MS) {
            lastLine = now();
            stderr.write(`${renderProgress(bar.state(), null)}\n`);
          }
        },
        stopped: () => {
          const index = bars.indexOf(bar);
          if (index < 0) return;
          bars.splice(index, 1);
          erase();
          if (terminal || now() - started >= WORTH_A_LINE_MS) {
            stderr.write(`${renderProgress(bar.state(), null)}\n`);
          }
          draw();
        },
      });
      bars.push(bar);
      draw();
      return bar;
    },
    close: () => {
      erase();
      bars.length = 0;
    },
  };
}
