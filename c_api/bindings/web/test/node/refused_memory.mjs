// The package's worker where the browser refuses memory that threads share.
WebAssembly.Memory = class {
  constructor() {
    throw new RangeError('could not allocate memory');
  }
};
await import('../../lib/worker.js');
