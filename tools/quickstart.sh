#!/bin/sh
# From a fresh checkout to text: installs what is missing, builds the tool, converts the tiny model
# in tests/data and streams a continuation. Can be run again; what is done already is skipped.
set -eu
cd "$(dirname "$0")/.."

echo "== 1/4 packages"
sh tools/install_packages.sh build

mkdir -p build
echo "== 2/4 building build/release/rondo (the first time takes a few minutes)"
cmake --preset release >build/quickstart.log 2>&1 || {
  cat build/quickstart.log >&2
  exit 1
}
grep ': from ' build/quickstart.log | sed 's/^-- /   /'
cmake --build build/release --target rondo_tool

echo "== 3/4 converting the tiny model: tests/data/tiny -> build/tiny.rondo"
build/release/rondo convert tests/data/tiny -o build/tiny.rondo --weights q8

echo "== 4/4 build/release/rondo run build/tiny.rondo \"Today's weather is so\""
build/release/rondo run build/tiny.rondo "Today's weather is so"
