#!/bin/sh
# The browser's package (c_api/bindings/web) in a headless Chromium: its page streams the text of the
# model in tests/data, which must be that of the same kernels under node, and answers about a file and
# about what a camera sees as node does about their pixels; the calls' own tests pass.
# Installs what it takes first. Leaves build/browser/page.png, which shows the page, and sight.png.
#   sh tests/browser.sh
# RONDO_TOOL names a program rondo of this machine; by default the release build's.
set -eu
cd "$(dirname "$0")/.."
sh tools/install_packages.sh browser
work=$PWD/build/browser
mkdir -p "$work"
tool=${RONDO_TOOL:-build/release/rondo}
"$tool" convert tests/data/tiny -o "$work/tiny.rondo" --weights q8 --force >"$work/convert.log"
RONDO_TEST_ADAPTER="$work/adapter.rondo" RONDO_TEST_EMBEDDER="$work/embedder.rondo"
RONDO_TEST_SCORER="$work/scorer.rondo" RONDO_TEST_SEEING="$work/seeing.rondo"
export RONDO_TEST_ADAPTER RONDO_TEST_EMBEDDER RONDO_TEST_SCORER RONDO_TEST_SEEING
python3 c_api/bindings/tiny_embedders.py tests/data/tiny "$work"
{
  "$tool" convert tests/data/tiny_adapter --adapter-for "$work/tiny.rondo" -o "$RONDO_TEST_ADAPTER" --force
  "$tool" convert "$work/embedder" -o "$RONDO_TEST_EMBEDDER" --weights q8 --force
  "$tool" convert "$work/scorer" -o "$RONDO_TEST_SCORER" --weights q8 --force
  "$tool" convert tests/data/seeing -o "$RONDO_TEST_SEEING" --weights q8 --force
} >>"$work/convert.log"
cmake --preset wasm32 >"$work/build.log"
cmake --build build/wasm32 >>"$work/build.log"
RONDO_TEST_TEXT=$("$tool" run "$work/tiny.rondo" 'Once upon a time' --greedy --max-tokens 64)
export RONDO_TEST_TEXT RONDO_TEST_MODEL="$work/tiny.rondo"
python3 c_api/bindings/picture_files.py "$work"
about() {
  node --experimental-wasm-relaxed-simd tests/browser_answer.mjs build/wasm32/web "$RONDO_TEST_SEEING" "$@"
}
RONDO_TEST_OF_FILE=$(about "$work/picture.rgba" 40 24)
RONDO_TEST_OF_CAMERA=$(about "$work/camera.rgba" 64 48)
export RONDO_TEST_OF_FILE RONDO_TEST_OF_CAMERA
for test in build/wasm32/web/test/*.mjs; do
  node --experimental-wasm-relaxed-simd "$test"
done
# Modules begin in what the engine compiles at once, which has had faults of its own (word.h).
node --no-wasm-tier-up --test-name-pattern='share a grammar' build/wasm32/web/test/threads.test.mjs
python3 tests/browser.py build/wasm32/web "$work" chromium
