/** Conversions between float32 and the 16-bit formats of checkpoints; narrowing rounds to nearest, ties to even. */

const scratchFloat = new Float32Array(1);
const scratchBits = new Uint32Array(scratchFloat.buffer);

/** Value of an IEEE 754 binary16 bit pattern. */
export function f16ToF32(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const f16Table = Float32Array.from({ length: 65536 }, (_, bits) => f16ToF32(bits));

export function f16ArrayToF32(source: Uint16Array, target: Float32Array): void {
  for (let i = 0; i < source.length; i++) target[i] = f16Table[source[i]!]!;
}

export function bf16ArrayToF32(source: Uint16Array, target: Float32Array): void {
  const bits = new Uint32Array(target.buffer, target.byteOffset, target.length);
  for (let i = 0; i < source.length; i++) bits[i] = source[i]! << 16;
}

export function f32ToBf16(value: number): number {
  scratchFloat[0] = value;
  const bits = scratchBits[0]!;
  if (Number.isNaN(value)) return (bits >>> 16) | 0x40;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}

export function f32ToF16(value: number): number {
  scratchFloat[0] = value;
  const bits = scratchBits[0]!;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // From 65520 on, the nearest half is infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Below 2^-14 halves are multiples of 2^-24.
    return sign | roundTiesToEven(Math.abs(scratchFloat[0]!) * 2 ** 24);
  }
  // Rebias the exponent from 127 to 15 and drop 13 bits; a carry out of the fraction raises the exponent as it should.
  return sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
}

function roundTiesToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
