#!/bin/sh
# From a fresh checkout to text: installs what is missing, builds the tool, converts the tiny model
# in tests/data, asks it something and streams a continuation. Can be run again; what is done already
# is skipped.
set -eu
cd "$(dirname "$0")/.."

echo "== 1/5 packages"
sh tools/install_packages.sh build

mkdir -p build
echo "== 2/5 building build/release/rondo (the first time takes a few minutes)"
cmake --preset release >build/quickstart.log 2>&1 || {
  cat build/quickstart.log >&2
  exit 1
}
grep ': from ' build/quickstart.log | sed 's/^-- /   /'
cmake --build build/release --target rondo_tool

echo "== 3/5 converting the tiny model: tests/data/tiny, with a chat template -> build/tiny.rondo"
rm -rf build/tiny
cp -R tests/data/tiny build/tiny
mv build/tiny/conversation.jinja build/tiny/chat_template.jinja
build/release/rondo convert build/tiny -o build/tiny.rondo --weights q8

echo "== 4/5 echo \"Once upon a time\" | build/release/rondo chat build/tiny.rondo --max-tokens 40"
echo "Once upon a time" | build/release/rondo chat build/tiny.rondo --max-tokens 40

echo "== 5/5 build/release/rondo run build/tiny.rondo \"Today's weather is so\""
build/release/rondo run build/tiny.rondo "Today's weather is so"
