// What a cross-origin isolated page has and node has not: Worker, whose scripts are files, and
// fetch of files.
import {readFile} from 'node:fs/promises';
import * as threads from 'node:worker_threads';

export const workers = [];  // that were started; they end when they are terminated

class Worker {
  #worker;

  constructor(script) {
    this.#worker = new threads.Worker(
        new URL('./worker.mjs', import.meta.url), {workerData: String(script)});
    this.#worker.on('message', (data) => this.onmessage?.({data}));
    this.#worker.on('error', (error) => this.onerror?.(error));
    workers.push(this);
  }

  postMessage(data) {
    this.#worker.postMessage(data);
  }

  terminate() {
    return this.#worker.terminate();
  }
}

async function fetchFile(address) {
  const headers = {'Content-Type': 'application/wasm'};
  return new Response(await readFile(new URL(address)), {headers});
}

export function makePage({cores}) {
  Object.defineProperty(globalThis, 'navigator',
      {configurable: true, value: {hardwareConcurrency: cores}});
  Object.assign(globalThis, {Worker, fetch: fetchFile, crossOriginIsolated: true});
}
