// Runs a worker's script as a page's worker does.
import {parentPort, workerData} from 'node:worker_threads';
import {makePage} from './page.mjs';

makePage({cores: 3});
globalThis.self = globalThis;
globalThis.postMessage = (data) => parentPort.postMessage(data);
await import(workerData);
parentPort.on('message', (data) => globalThis.onmessage({data}));
