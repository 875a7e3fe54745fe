import protobuf from 'protobufjs';

// The part of onnx.proto that is written, declared a second time from the published field numbers.
const { root } = protobuf.parse(`
syntax = "proto3";
message ModelProto { int64 ir_version = 1; GraphProto graph = 7; repeated OperatorSetIdProto opset_import = 8; }
message OperatorSetIdProto { string domain = 1; int64 version = 2; }
message GraphProto {
  repeated NodeProto node = 1; string name = 2; repeated TensorProto initializer = 5;
  repeated ValueInfoProto input = 11; repeated ValueInfoProto output = 12;
}
message NodeProto {
  repeated string input = 1; repeated string output = 2; string name = 3; string op_type = 4;
  repeated AttributeProto attribute = 5; string domain = 7;
}
message AttributeProto {
  string name = 1; float f = 2; int64 i = 3; bytes s = 4; repeated float floats = 7; repeated int64 ints = 8; int32 type = 20;
}
message StringStringEntryProto { string key = 1; string value = 2; }
message TensorProto {
  repeated int64 dims = 1; int32 data_type = 2; string name = 8; bytes raw_data = 9;
  repeated StringStringEntryProto external_data = 13; int32 data_location = 14;
}
message ValueInfoProto { string name = 1; TypeProto type = 2; }
message TypeProto { Tensor tensor_type = 1; message Tensor { int32 elem_type = 1; TensorShapeProto shape = 2; } }
message TensorShapeProto { repeated Dimension dim = 1; message Dimension { int64 dim_value = 1; string dim_param = 2; } }
`);

interface ValueInfo {
  readonly name: string;
  readonly type: {
    readonly tensorType: {
      readonly elemType: number;
      readonly shape: { readonly dim?: readonly { readonly dimValue?: number; readonly dimParam?: string }[] };
    };
  };
}

export interface DecodedOnnx {
  readonly irVersion: number;
  readonly opsetImport: readonly { readonly domain?: string; readonly version: number }[];
  readonly graph: {
    readonly node: readonly {
      readonly name: string;
      readonly opType: string;
      readonly domain?: string;
      readonly input?: readonly string[];
      readonly output: readonly string[];
      readonly attribute?: readonly {
        readonly name: string;
        readonly type: number;
        readonly i?: number;
        readonly f?: number;
        readonly s?: Uint8Array;
        readonly ints?: readonly number[];
      }[];
    }[];
    readonly initializer?: readonly {
      readonly name: string;
      readonly dataType: number;
      readonly dims?: readonly number[];
      readonly rawData?: Uint8Array;
      readonly dataLocation?: number;
      readonly externalData?: readonly { readonly key: string; readonly value: string }[];
    }[];
    readonly input?: readonly ValueInfo[];
    readonly output: readonly ValueInfo[];
  };
}

export function decodeOnnx(bytes: Uint8Array): DecodedOnnx {
  const type = root.lookupType('ModelProto');
  return type.toObject(type.decode(bytes), { longs: Number }) as DecodedOnnx;
}

/** How often each op occurs, outputs' Identity nodes left out. */
export function opCounts(bytes: Uint8Array): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { opType } of decodeOnnx(bytes).graph.node) {
    if (opType !== 'Identity') counts[opType] = (counts[opType] ?? 0) + 1;
  }
  return counts;
}
