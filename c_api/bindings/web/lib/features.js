// What this browser's WebAssembly can.

// A module of one function, whose one operation of note is i32x4.relaxed_dot_i8x16_i7x16_add_s.
const RELAXED = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  1, 5, 1, 0x60, 0, 1, 0x7b,
  3, 2, 1, 0,
  10, 19, 1, 17, 0, 0x41, 0, 0xfd, 0x0f, 0x41, 0, 0xfd, 0x0f, 0x41, 0, 0xfd, 0x11, 0xfd, 0x93, 2, 0x0b,
]);

/** It takes modules whose kernels multiply four pairs of int8 at once. */
export const hasRelaxedSimd = () => WebAssembly.validate(RELAXED);

/** Workers may share memory: the page is cross-origin isolated, by the headers it came with. */
export const hasThreads = () => globalThis.crossOriginIsolated === true;

/** The modules that it takes, the fastest first; the last needs nothing of the page. */
export function modules() {
  const relaxed = hasRelaxedSimd();
  const one = relaxed ? new URL('./rondo-relaxed.wasm', import.meta.url) :
      new URL('./rondo.wasm', import.meta.url);
  if (!hasThreads()) return [one];
  return [relaxed ? new URL('./rondo-threads-relaxed.wasm', import.meta.url) :
      new URL('./rondo-threads.wasm', import.meta.url), one];
}
