import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import protobuf from 'protobufjs/minimal.js';
import { maskedCrc32c } from './crc32c.js';

/** Writes one TensorBoard event file. */
export interface EventWriter {
  readonly path: string;
  scalars(step: number, values: readonly (readonly [tag: string, value: number])[]): void;
  /** A Markdown text, shown on the text page. */
  text(step: number, tag: string, text: string): void;
  close(): void;
}

export interface EventWriterOptions {
  /** First step that will be written. TensorBoard forgets what earlier files of the directory say of it and later steps. */
  readonly firstStep: number;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

// Field numbers of tensorflow/core/util/event.proto, framework/summary.proto and framework/tensor.proto.
const EVENT = { wallTime: 1, step: 2, fileVersion: 3, summary: 5, sessionLog: 7 } as const;
const SESSION_START = 1;
const VALUE = { tag: 1, simpleValue: 2, tensor: 8, metadata: 9 } as const;
const DT_STRING = 7;

const tagOf = (field: number, wireType: 0 | 1 | 2 | 5) => (field << 3) | wireType;

type Write = (writer: protobuf.Writer) => void;

function nested(writer: protobuf.Writer, field: number, write: Write): void {
  writer.uint32(tagOf(field, 2)).fork();
  write(writer);
  writer.ldelim();
}

function text(writer: protobuf.Writer, field: number, value: string): void {
  writer.uint32(tagOf(field, 2)).string(value);
}

function event(seconds: number, step: number, write: Write): Uint8Array {
  const writer = protobuf.Writer.create();
  writer.uint32(tagOf(EVENT.wallTime, 1)).double(seconds);
  if (step !== 0) writer.uint32(tagOf(EVENT.step, 0)).int64(step);
  write(writer);
  return writer.finish();
}

function summaryValue(tag: string, write: Write): Write {
  return (summary) =>
    nested(summary, 1, (value) => {
      text(value, VALUE.tag, tag);
      write(value);
    });
}

function scalar(tag: string, value: number): Write {
  return summaryValue(tag, (writer) => writer.uint32(tagOf(VALUE.simpleValue, 5)).float(value));
}

function textSummary(tag: string, value: string): Write {
  return summaryValue(`${tag}/text_summary`, (writer) => {
    nested(writer, VALUE.tensor, (tensor) => {
      tensor.uint32(tagOf(1, 0)).int32(DT_STRING);
      nested(tensor, 2, (shape) => nested(shape, 2, (dimension) => dimension.uint32(tagOf(1, 0)).int64(1)));
      text(tensor, 8, value);
    });
    nested(writer, VALUE.metadata, (metadata) => nested(metadata, 1, (plugin) => text(plugin, 1, 'text')));
  });
}

/** A TFRecord: length, checksum of the length, data, checksum of the data; all little-endian. */
export function tfRecord(data: Uint8Array): Uint8Array {
  const record = new Uint8Array(data.length + 16);
  const view = new DataView(record.buffer);
  view.setBigUint64(0, BigInt(data.length), true);
  view.setUint32(8, maskedCrc32c(record.subarray(0, 8)), true);
  record.set(data, 12);
  view.setUint32(12 + data.length, maskedCrc32c(data), true);
  return record;
}

/** Opens a new event file in `directory`. */
export function openEventWriter(directory: string, options: EventWriterOptions): EventWriter {
  const now = options.now ?? Date.now;
  mkdirSync(directory, { recursive: true });
  const base = `events.out.tfevents.${String(Math.floor(now() / 1000)).padStart(10, '0')}.${hostname()}.${process.pid}`;
  const { path, descriptor } = createNew(directory, base);
  const write = (step: number, body: Write) => writeSync(descriptor, tfRecord(event(now() / 1000, step, body)));

  write(0, (writer) => text(writer, EVENT.fileVersion, 'brain.Event:2'));
  write(options.firstStep, (writer) =>
    nested(writer, EVENT.sessionLog, (log) => log.uint32(tagOf(1, 0)).int32(SESSION_START)),
  );
  return {
    path,
    scalars: (step, values) => {
      if (values.length === 0) return;
      write(step, (writer) =>
        nested(writer, EVENT.summary, (summary) => {
          for (const [tag, value] of values) scalar(tag, value)(summary);
        }),
      );
    },
    text: (step, tag, value) => {
      write(step, (writer) => nested(writer, EVENT.summary, textSummary(tag, value)));
    },
    close: () => closeSync(descriptor),
  };
}

/** Two files of one second and process get different numbers. */
function createNew(directory: string, base: string): { path: string; descriptor: number } {
  for (let number = 0; ; number++) {
    const path = join(directory, `${base}.${number}`);
    try {
      return { path, descriptor: openSync(path, 'ax') };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
