#!/bin/sh
# Runs a program with the tiny model, an adapter for it and a model that sees as its arguments.
#   with_tiny_model.sh SOURCE_DIR TOOL PROGRAM
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$2" convert "$1/tests/data/tiny" -o "$work/tiny.rondo" --weights q8 >/dev/null
"$2" convert "$1/tests/data/tiny_adapter" --adapter-for "$work/tiny.rondo" \
  -o "$work/adapter.rondo" >/dev/null
"$2" convert "$1/tests/data/seeing" -o "$work/seeing.rondo" --weights q8 >/dev/null
"$3" "$work/tiny.rondo" "$work/adapter.rondo" "$work/seeing.rondo"
