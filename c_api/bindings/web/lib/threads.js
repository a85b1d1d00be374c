// Workers that compute beside the thread that calls the module: each is an instance of it
// (thread.js) on the same memory, with a stack of its own.
const STACK_BYTES = 1 << 16;
const PATIENCE_MS = 60000;

export class Threads {
  #module;
  #c;
  #count = 1;

  constructor(module, exports) {
    this.#module = module;
    this.#c = exports;
  }

  /** Starts what is missing of `count` threads, the caller's among them, but not more than the
   * machine has. Those that cannot be started are done without. */
  async start(count) {
    const most = Math.min(count, globalThis.navigator?.hardwareConcurrency ?? 1);
    const started = await Promise.all(
        Array.from({length: Math.max(most - this.#count, 0)}, () => this.#startOne()));
    this.#count += started.filter(Boolean).length;
    return this.#count;
  }

  async #startOne() {
    const c = this.#c;
    const stack = c.aligned_alloc(64, STACK_BYTES) >>> 0;
    if (stack === 0) return false;
    let worker, patience;
    try {
      worker = new Worker(new URL('./thread.js', import.meta.url), {type: 'module'});
      await new Promise((resolve, reject) => {
        worker.onmessage = ({data: {error}}) => error ? reject(new Error(error)) : resolve();
        worker.onerror = ({message}) => reject(new Error(message ?? 'its script is not there'));
        patience = setTimeout(() => reject(new Error('it does not begin')), PATIENCE_MS);
        worker.postMessage({module: this.#module, memory: c.memory, stackEnd: stack + STACK_BYTES});
      });
      return true;
    } catch (error) {
      // Its stack is not given back: it may still be about to begin.
      worker?.terminate();
      console.warn(`Rondo goes on without a thread: ${error.message}`);
      return false;
    } finally {
      clearTimeout(patience);
    }
  }
}
