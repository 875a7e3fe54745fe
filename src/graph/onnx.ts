import protobuf from 'protobufjs/minimal.js';
import type { OnnxAttributes } from './tensor.js';

// Field numbers are those of onnx.proto (ONNX IR version 10).

const dataTypes = { float32: 1, int64: 7, bool: 9 } as const;
type OnnxType = keyof typeof dataTypes;

export interface OnnxNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: OnnxAttributes;
  readonly domain: string;
}

export interface OnnxValue {
  readonly name: string;
  readonly dtype: OnnxType;
  /** A string is a symbolic size. */
  readonly shape: readonly (number | string)[];
}

export interface OnnxInitializer {
  readonly name: string;
  readonly dtype: OnnxType;
  readonly shape: readonly number[];
  /** The elements themselves, or where they lie in an external file. */
  readonly data: Uint8Array | { readonly location: string; readonly offset: number; readonly length: number };
}

export interface OnnxModel {
  readonly nodes: readonly OnnxNode[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  readonly initializers: readonly OnnxInitializer[];
}

const message = (writer: protobuf.Writer, field: number, body: (inner: protobuf.Writer) => void): void => {
  body(writer.uint32(field * 8 + 2).fork());
  writer.ldelim();
};

const text = (writer: protobuf.Writer, field: number, value: string): protobuf.Writer =>
  writer.uint32(field * 8 + 2).string(value);

const int = (writer: protobuf.Writer, field: number, value: number): protobuf.Writer =>
  writer.uint32(field * 8).int64(value);

function writeAttribute(writer: protobuf.Writer, name: string, value: OnnxAttributes[string]): void {
  text(writer, 1, name);
  if (typeof value === 'number') int(int(writer, 3, value), 20, 2);
  else if (typeof value === 'string') int(text(writer, 4, value), 20, 3);
  else if ('float' in value) int(writer.uint32(2 * 8 + 5).float(value.float), 20, 1);
  else {
    for (const item of value) int(writer, 8, item);
    int(writer, 20, 7);
  }
}

function writeNode(writer: protobuf.Writer, node: OnnxNode): void {
  for (const name of node.inputs) text(writer, 1, name);
  for (const name of node.outputs) text(writer, 2, name);
  text(writer, 3, `${node.outputs[0]}:${node.op}`);
  text(writer, 4, node.op);
  for (const [name, value] of Object.entries(node.attributes)) {
    message(writer, 5, (inner) => writeAttribute(inner, name, value));
  }
  if (node.domain) text(writer, 7, node.domain);
}

function writeValue(writer: protobuf.Writer, value: OnnxValue): void {
  text(writer, 1, value.name);
  message(writer, 2, (type) =>
    message(type, 1, (tensor) => {
      int(tensor, 1, dataTypes[value.dtype]);
      message(tensor, 2, (shape) => {
        for (const dim of value.shape) {
          message(shape, 1, (inner) => (typeof dim === 'number' ? int(inner, 1, dim) : text(inner, 2, dim)));
        }
      });
    }),
  );
}

function writeInitializer(writer: protobuf.Writer, { name, dtype, shape, data }: OnnxInitializer): void {
  for (const dim of shape) int(writer, 1, dim);
  int(writer, 2, dataTypes[dtype]);
  text(writer, 8, name);
  if (data instanceof Uint8Array) {
    writer.uint32(9 * 8 + 2).bytes(data);
    return;
  }
  const entries = { location: data.location, offset: String(data.offset), length: String(data.length) };
  for (const [key, value] of Object.entries(entries)) {
    message(writer, 13, (entry) => text(text(entry, 1, key), 2, value));
  }
  int(writer, 14, 1);
}

/** Bytes of an ONNX model file with opset 21 and the com.microsoft operators. */
export function encodeOnnx(model: OnnxModel): Uint8Array {
  const writer = protobuf.Writer.create();
  int(writer, 1, 10);
  message(writer, 7, (graph) => {
    for (const node of model.nodes) message(graph, 1, (inner) => writeNode(inner, node));
    text(graph, 2, 'anneal');
    for (const value of model.initializers) message(graph, 5, (inner) => writeInitializer(inner, value));
    for (const value of model.inputs) message(graph, 11, (inner) => writeValue(inner, value));
    for (const value of model.outputs) message(graph, 12, (inner) => writeValue(inner, value));
  });
  const opsets = { '': 21, 'com.microsoft': 1 };
  for (const [domain, version] of Object.entries(opsets)) {
    message(writer, 8, (inner) => int(text(inner, 1, domain), 2, version));
  }
  return writer.finish();
}
