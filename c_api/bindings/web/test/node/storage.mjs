// The private file system of a browser, as far as cache.js uses it.
const define = (storage) => Object.defineProperty(globalThis, 'navigator',
    {configurable: true, value: {hardwareConcurrency: 2, storage}});

export function makeStorage() {
  const files = new Map();
  const directory = {
    async getDirectoryHandle() {
      return directory;
    },
    async getFileHandle(name) {
      if (!files.has(name)) files.set(name, new Uint8Array());
      return {
        async getFile() {
          return new Blob([files.get(name)]);
        },
        async createSyncAccessHandle() {
          return {
            getSize: () => files.get(name).length,
            truncate: (size) => files.set(name, files.get(name).slice(0, size)),
            read(bytes, {at}) {
              bytes.set(files.get(name).subarray(at, at + bytes.length));
            },
            write(bytes, {at}) {
              if (files.full && name.endsWith('.data')) throw new Error('QuotaExceededError');
              files.set(name, Uint8Array.from([...files.get(name).subarray(0, at), ...bytes]));
            },
            close() {},
          };
        },
      };
    },
    async * keys() {
      yield* [...files.keys()];
    },
    async removeEntry(name) {
      files.delete(name);
    },
  };
  define({getDirectory: async () => directory});
  return {files};
}

makeStorage.none = () => define(undefined);
