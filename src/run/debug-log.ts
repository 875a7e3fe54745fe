import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Console } from '../observe/index.js';

/** A console that also writes every line, with its time, to `debug.log` of the output directory. */
export interface DebugLog {
  readonly console: Console;
  close(): void;
}

/** @param append go on with the log of an earlier part of the run */
export function openDebugLog(outputDir: string, console: Console, append: boolean): DebugLog {
  const file = openSync(join(outputDir, 'debug.log'), append ? 'a' : 'w');
  const plain = (line: string): string => line.replace(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g'), '');
  const note = (kind: string, line: string): void => {
    writeSync(file, `${new Date().toISOString()} ${kind} ${plain(line)}\n`);
  };
  return {
    console: {
      ...console,
      log(line) {
        note('info', line);
        console.log(line);
      },
      warn(line) {
        note('warn', line);
        console.warn(line);
      },
      print(line) {
        note('out', line);
        console.print(line);
      },
    },
    close: () => closeSync(file),
  };
}
