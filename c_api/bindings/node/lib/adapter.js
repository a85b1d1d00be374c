// Adapters: see index.d.ts for what each does.
'use strict';

const {Handle} = require('./handle.js');
const {checkMessage, library, record} = require('./library.js');

class Adapter extends Handle {
  constructor(handle) {
    super(handle, library.rondo_adapter_close);
  }

  get info() {
    return record('rondo_adapter_facts',
        (facts) => library.rondo_adapter_info(this.handle, facts));
  }
}

function openAdapter(model, path) {
  const adapter = [null];
  checkMessage((...message) => library.rondo_adapter_open_path(
      model.handle, path, adapter, ...message));
  return new Adapter(adapter[0]);
}

module.exports = {Adapter, openAdapter};
