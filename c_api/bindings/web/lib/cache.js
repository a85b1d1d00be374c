// Files of models that stay in the browser, in its private file system (OPFS): what came is kept, so that
// a download that broke off goes on where it was, and a second visit needs none. Only workers may write
// there piece by piece.
const PIECE = 4 << 20;

const directory = async () =>
  (await navigator.storage.getDirectory()).getDirectoryHandle('rondo', {create: true});

async function nameOf(address) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(address));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The bytes of an address that are here, and which version of it they are. */
class Store {
  static async open(address) {
    const place = await directory();
    const name = await nameOf(address);
    const facts = await place.getFileHandle(`${name}.json`, {create: true});
    const text = await (await facts.getFile()).text();
    const file = await place.getFileHandle(`${name}.data`, {create: true});
    return new Store(facts, text ? JSON.parse(text) : {}, await file.createSyncAccessHandle());
  }

  constructor(factsFile, facts, file) {
    this.factsFile = factsFile;
    this.facts = facts;
    this.file = file;
  }

  get size() {
    return this.file.getSize();
  }

  /** Begins anew, with this version. */
  async begin(facts) {
    this.file.truncate(0);
    const out = await this.factsFile.createSyncAccessHandle();
    out.truncate(0);
    out.write(new TextEncoder().encode(JSON.stringify(facts)), {at: 0});
    out.close();
    this.facts = facts;
  }

  * pieces() {
    for (let at = 0; at < this.size; at += PIECE) {
      const piece = new Uint8Array(Math.min(PIECE, this.size - at));
      this.file.read(piece, {at});
      yield piece;
    }
  }
}

async function* streamed(body) {
  for (const reader = body.getReader();;) {
    const {done, value} = await reader.read();
    if (done) return;
    yield value;
  }
}

async function answered(address, options) {
  const response = await fetch(address, options);
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  return response;
}

/** {bytes: pieces as they come, count} of an address, from the network alone. */
export async function fetched(address) {
  const response = await answered(address);
  const count = Number(response.headers.get('Content-Length'));
  if (count > 0) return {bytes: streamed(response.body), count};
  const bytes = await response.arrayBuffer();
  return {bytes: [bytes], count: bytes.byteLength};
}

// What the server has now: undefined where it does not say, null where it is not reached.
async function versionOf(address) {
  let response;
  try {
    response = await fetch(address, {method: 'HEAD'});
  } catch {
    return null;
  }
  if (response.status >= 500) return null;
  const tag = response.headers.get('ETag') ?? response.headers.get('Last-Modified');
  const count = Number(response.headers.get('Content-Length'));
  return response.ok && tag && count > 0 ? {tag, count} : undefined;
}

// What is here, then what is missing, which is kept as it comes. Where there is no room for it, it comes
// all the same.
async function* kept(store, response) {
  try {
    yield* store.pieces();
    if (!response) return;
    let room = true;
    for await (const piece of streamed(response.body)) {
      if (room) {
        try {
          store.file.write(piece, {at: store.size});
        } catch {
          room = false;
          store.file.truncate(0);
        }
      }
      yield piece;
    }
  } finally {
    store.file.close();
  }
}

/** The same, kept in the browser; without that where it is not to be had, as in private windows, or
 * while another page writes the same. */
export async function cached(address) {
  let store;
  try {
    store = await Store.open(address);
  } catch {
    return fetched(address);
  }
  try {
    const {count, tag} = store.facts;
    const now = await versionOf(address);
    if (now === null && count > 0 && store.size === count) return {bytes: kept(store), count};  // offline
    if (!now) {
      store.file.close();
      return await fetched(address);
    }
    if (now.tag !== tag || now.count !== count) await store.begin(now);
    if (store.size === now.count) return {bytes: kept(store), count: now.count};
    const range = store.size > 0 ? {headers: {Range: `bytes=${store.size}-`}} : {};
    const response = await answered(address, range);
    if (response.status !== 206) store.file.truncate(0);
    return {bytes: kept(store, response), count: now.count};
  } catch (error) {
    store.file.close();
    throw error;
  }
}

/** Forgets the file of an address, or all of them. */
export async function forget(address) {
  const place = await directory();
  const name = address && await nameOf(address);
  for await (const each of place.keys()) {
    if (!name || each.startsWith(name)) await place.removeEntry(each);
  }
}
