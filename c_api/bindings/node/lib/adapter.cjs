// Adapters: see index.d.cts for what each does.
'use strict';

const {native} = require('./addon.cjs');
const {text} = require('./arguments.cjs');
const {Handle} = require('./handle.cjs');

class Adapter extends Handle {
  constructor(model, path) {
    super(native.rondo_adapter_open_path(model, text(path, 'path')), native.rondo_adapter_close);
  }

  get info() {
    return native.rondo_adapter_info(this.handle);
  }
}

module.exports = {Adapter};
