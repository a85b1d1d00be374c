// Finds librondo, and turns its statuses into errors.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const koffi = require('koffi');
const raw = require('./raw.js');

const MESSAGE_BYTES = 512;

// The library that RONDO_LIBRARY names, else the one inside of this package, else the system's.
function libraryPath() {
  if (process.env.RONDO_LIBRARY) return process.env.RONDO_LIBRARY;
  const inside = path.join(
      __dirname, '..', 'prebuilds', `${process.platform}-${process.arch}`, 'librondo.so');
  return fs.existsSync(inside) ? inside : 'librondo.so.0';
}

const library = raw.load(libraryPath());

const statusNames = Object.fromEntries(
    Object.entries(raw.Status).map(([name, value]) => [value, name]));

class RondoError extends Error {
  constructor(status, message) {
    super(message || library.rondo_status_string(status));
    this.name = 'RondoError';
    this.status = status;
    this.code = `RONDO_STATUS_${statusNames[status] || status}`;
  }
}

function check(status, message) {
  if (status !== raw.Status.OK) throw new RondoError(status, message);
}

// For calls that end in (message, message_bytes).
function checkMessage(call) {
  const message = Buffer.alloc(MESSAGE_BYTES);
  check(call(message, MESSAGE_BYTES), textOf(message));
}

function textOf(message) {
  return message.toString('utf8', 0, message.indexOf(0));
}

// For calls that end in (buffer, capacity, length): a text of any length.
function textOutput(call) {
  for (let capacity = 256;;) {
    const buffer = Buffer.alloc(capacity);
    const length = [0];
    const status = call(buffer, capacity, length);
    if (status !== raw.Status.BUFFER_TOO_SMALL) {
      check(status);
      return buffer.toString('utf8', 0, length[0]);
    }
    capacity = length[0] + 1;
  }
}

// A call on a thread of its own, as a promise of its status.
function later(function_, ...args) {
  return new Promise((resolve, reject) => {
    function_.async(...args, (error, status) => error ? reject(error) : resolve(status));
  });
}

// The status of use(callback), with a progress callback of this type, or null. What `progress` throws
// cancels that, and is thrown.
async function withProgress(type, progress, use) {
  if (!progress) return use(null);
  let thrown;
  const callback = koffi.register((_, done, total) => {
    try {
      progress(Number(done), Number(total));
    } catch (error) {  // must not unwind through the library
      thrown = thrown || error;
    }
    return thrown ? 1 : 0;
  }, koffi.pointer(raw.types[type]));
  try {
    const status = await use(callback);
    if (thrown) throw thrown;
    return status;
  } finally {
    koffi.unregister(callback);
  }
}

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

function sized(type) {
  return {struct_size: koffi.sizeof(raw.types[type])};
}

// What the library tells in a struct of this type, in JavaScript's names.
function record(type, call) {
  const struct = sized(type);
  checkMessage((...message) => call(struct, ...message));
  return recordOf(type, struct);
}

function recordOf(type, struct) {
  return Object.fromEntries(raw.records[type].map((name) => [camel(name), struct[name]]));
}

// An options struct with its defaults, changed as `options` says in JavaScript's names.
function optionsOf(type, options, more = () => {}) {
  const struct = {};
  check(library[`${type}_init`](struct, sized(type).struct_size));
  more(struct);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const field = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (!(field in struct) || field === 'struct_size' || field.startsWith('reserved')) {
      throw new TypeError(`there is no option '${name}'`);
    }
    struct[field] = typeof value === 'boolean' ? Number(value) : value;
  }
  return struct;
}

module.exports = {RondoError, camel, check, checkMessage, later, library, optionsOf, record, recordOf, sized,
                  textOf, textOutput, withProgress, MESSAGE_BYTES};
