// Runs a small program so often that its code is optimised, then collects garbage before each native call: prints how
// many results were wrong. In a process of its own, as the test runner's transforms keep more alive than plain code does.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { api } from '../../src/engine/local/onnxruntime/library.js';
import { createProgram } from '../../src/engine/local/runtime.js';
import { add, compile, fill, input, symbol } from '../../src/graph/index.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const native = api.run;
let collecting = false;
Object.assign(api, {
  run: (...values: readonly unknown[]) => {
    if (collecting) collect();
    for (let i = 0; collecting && i < 50; i++) new BigInt64Array([7_777_777n, 5n, 6n]).buffer;
    native(...values);
  },
});

const N = symbol('N');
const program = await createProgram(compile({ y: add(input('x', 'float32', [N]), fill(1, [N])) }), {
  device: 'cpu',
  threads: 1,
});
let wrong = 0;
for (let i = 0; i < 20_100; i++) {
  collecting = i >= 20_000;
  const right = await program.run({ x: { data: Float32Array.of(i, i, i), shape: [3] } }, { N: 3 }).then(
    ({ y }) => y!.data.length === 3 && y!.data[2] === i + 1,
    () => false,
  );
  if (!right) wrong++;
}
console.log(wrong);
