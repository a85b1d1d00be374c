// Adapters: see rondo.d.ts for what each does.
import {Shared} from './handle.js';

export class Adapter extends Shared {
  constructor(model, handle, bytes) {
    const {memory, c} = model.rondo;
    super(model.rondo, handle, () => {
      c.rondo_adapter_close(handle);
      memory.free(bytes);
      model.release();
    });
    model.keep();
  }

  get info() {
    return this.rondo.record('rondo_adapter_facts',
        (at) => this.rondo.c.rondo_adapter_info(this.handle, at));
  }
}
