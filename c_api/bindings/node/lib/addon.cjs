// Finds the addon and the library of this system.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const {RondoError} = require('./errors.cjs');

/** 'linux-x64-gnu', 'linux-arm64-musl', 'darwin-arm64', 'win32-x64': the end of a package's name. */
function platformName() {
  const {platform, arch} = process;
  if (platform !== 'linux') return `${platform}-${arch}`;
  const {report} = process;
  const network = report.excludeNetwork;
  report.excludeNetwork = true;  // names of hosts take long
  const {glibcVersionRuntime} = report.getReport().header;
  report.excludeNetwork = network;
  return `linux-${arch}-${glibcVersionRuntime ? 'gnu' : 'musl'}`;
}

const PACKAGE = `@rondo/${platformName()}`;

// What was built in this package's own folder, else the package of this platform.
function loadAddon() {
  const built = path.join(__dirname, '..', 'build', 'rondo.node');
  if (fs.existsSync(built)) return [require(built), path.dirname(built)];
  let file;
  try {
    file = require.resolve(`${PACKAGE}/rondo.node`);
  } catch (error) {
    throw new Error(`the package ${PACKAGE} is not installed, which has rondo.node and the library for ` +
        'this system. npm installs it beside rondo unless it is told to omit optional dependencies: ' +
        `npm install ${PACKAGE}`, {cause: error});
  }
  return [require(file), path.dirname(file)];
}

function fileNames() {
  switch (process.platform) {
    case 'win32': return ['rondo.dll'];
    case 'darwin': return ['librondo.0.dylib', 'librondo.dylib'];
    default: return ['librondo.so.0', 'librondo.so'];
  }
}

// The library that RONDO_LIBRARY names, else the one beside the addon, else the system's.
function candidates(folder) {
  if (process.env.RONDO_LIBRARY) return [process.env.RONDO_LIBRARY];
  const beside = fileNames().map((name) => path.join(folder, name)).filter((file) => fs.existsSync(file));
  return beside.length > 0 ? beside : fileNames();
}

const [addon, folder] = loadAddon();
const native = {};  // the library's functions by their names

function loadLibrary() {
  const reasons = [];
  for (const file of candidates(folder)) {
    const why = addon.load(file, (status, message) => new RondoError(status, message), native);
    if (why === undefined) return;
    reasons.push(why);
  }
  const error = new Error(`the library ${fileNames().at(-1)} cannot be loaded. RONDO_LIBRARY was looked ` +
      `at, then ${folder}, then the system's folders:\n  ${reasons.join('\n  ')}\nThe package ${PACKAGE} ` +
      'has it, RONDO_LIBRARY may name another one, and `cmake --install` puts one into the system.');
  throw Object.assign(error, {code: 'RONDO_LIBRARY_MISSING'});
}

loadLibrary();

/** The outcome of start(), a promise of a call that waits. An aborted signal ends this call alone. */
async function waited(start, signal) {
  signal?.throwIfAborted();
  const promise = start();
  const number = addon.lastCall();
  const cancel = () => addon.cancel(number);
  signal?.addEventListener('abort', cancel, {once: true});
  try {
    return await promise;
  } catch (error) {
    throw signal?.aborted && error.status === 'CANCELLED' ? signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

module.exports = {native, waited};
