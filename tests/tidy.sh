#!/bin/sh
# clang-tidy over the library and the tool, with .clang-tidy at the top. Needs a build folder that was
# configured for clang (tests/run.sh's asan stage leaves one).
#   sh tests/tidy.sh [BUILD_DIR]        (default build/asan)
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/asan}
grep -q '"command": "[^"]*clang' "$build/compile_commands.json" || {
  echo "$build is not configured for clang: cmake --preset asan -DCMAKE_C_COMPILER=clang" \
    "-DCMAKE_CXX_COMPILER=clang++" >&2
  exit 1
}
cmake --build "$build" --target rondo_schema_headers >/dev/null
git ls-files 'runtime/*.cc' 'c_api/*.cc' 'platforms/*.cc' 'tools/*.cc' | while read -r file; do
  # Only what this machine compiles.
  grep -qF "/$file\"" "$build/compile_commands.json" && echo "$file"
done | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build"
