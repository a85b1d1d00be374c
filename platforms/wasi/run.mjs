// Runs a WASI program under node, with the whole file system before it: node run.mjs PROGRAM ARG...
import {readFile} from 'node:fs/promises';
import {WASI} from 'node:wasi';

const [program, ...args] = process.argv.slice(2);
const wasi = new WASI({
  version: 'preview1',
  args: [program, ...args],
  env: process.env,
  preopens: {'/': '/'},
});
const module = await WebAssembly.compile(await readFile(program));
// Not by getImportObject(), which node 18 has not.
const imports = {wasi_snapshot_preview1: wasi.wasiImport};
process.exitCode = wasi.start(await WebAssembly.instantiate(module, imports));
