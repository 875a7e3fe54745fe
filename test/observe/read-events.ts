import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { maskedCrc32c } from '../../src/observe/crc32c.js';

// The parts of TensorFlow's event.proto, summary.proto and tensor.proto that are used, by their published field numbers.
const definitions = `
syntax = "proto3";
message Event {
  double wall_time = 1; int64 step = 2;
  oneof what { string file_version = 3; Summary summary = 5; SessionLog session_log = 7; }
}
message SessionLog { int32 status = 1; string checkpoint_path = 2; string msg = 3; }
message Summary {
  message Value {
    string tag = 1; SummaryMetadata metadata = 9;
    oneof value { float simple_value = 2; TensorProto tensor = 8; }
  }
  repeated Value value = 1;
}
message SummaryMetadata {
  message PluginData { string plugin_name = 1; bytes content = 2; }
  PluginData plugin_data = 1;
}
message TensorProto { int32 dtype = 1; TensorShapeProto tensor_shape = 2; repeated bytes string_val = 8; }
message TensorShapeProto { message Dim { int64 size = 1; } repeated Dim dim = 2; }
`;
const Event = protobuf.parse(definitions).root.lookupType('Event');

/** Reads an event file through protobuf reflection, checking lengths and checksums. */
export function readEvents(path: string): Record<string, unknown>[] {
  const bytes = readFileSync(path);
  const events: Record<string, unknown>[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = Number(bytes.readBigUInt64LE(at));
    if (bytes.readUInt32LE(at + 8) !== maskedCrc32c(bytes.subarray(at, at + 8)))
      throw new Error(`length checksum at ${at}`);
    const data = bytes.subarray(at + 12, at + 12 + length);
    if (bytes.readUInt32LE(at + 12 + length) !== maskedCrc32c(data)) throw new Error(`data checksum at ${at}`);
    events.push(Event.toObject(Event.decode(data), { longs: Number, bytes: String }));
    at += 16 + length;
  }
  return events;
}
