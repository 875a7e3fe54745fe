// A thread that makes JavaScript of TypeScript, one text after another. In a thread, because some texts take it for ever: each `<T>(` in
// another doubles the time. Whoever gave it such a text ends the thread.
import { parentPort } from 'node:worker_threads';
import { transform } from 'sucrase';

parentPort.on('message', (text) => {
  try {
    const { code } = transform(text, { transforms: ['typescript'], disableESTransforms: true });
    parentPort.postMessage({ code });
  } catch (error) {
    parentPort.postMessage({ problem: String(error?.message ?? error) });
  }
});
