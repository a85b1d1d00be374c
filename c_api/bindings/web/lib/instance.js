// Instances of the module. One with threads takes the memory that its threads share; another has
// its own.
import {systemFor} from './system.js';

const PAGES = 65536;  // 4 GB, as far as addresses of the module go

const takesMemory = (module) =>
  WebAssembly.Module.imports(module).some(({kind}) => kind === 'memory');

/** `shared`: the memory of the instance that this is to be a thread of. */
export async function instantiate(module, shared) {
  let memory = shared;
  const imports = {wasi_snapshot_preview1: systemFor(() => memory)};
  if (takesMemory(module)) {
    memory ??= new WebAssembly.Memory({initial: 256, maximum: PAGES, shared: true});
    imports.env = {memory};
  }
  const {exports} = await WebAssembly.instantiate(module, imports);
  memory = exports.memory;
  return exports;
}
