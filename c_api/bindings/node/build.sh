#!/bin/sh
# Builds the addon as build/rondo.node, from rondo.h's folder and Node's headers.
#   build.sh INCLUDE [NODE_INCLUDE]     CC names the compiler
set -eu
cd "$(dirname "$0")"
include=${1:-../../../include}
node_include=${2:-}
if [ -z "$node_include" ]; then
  node_include=$(node -p 'require("path").resolve(process.execPath, "../../include/node")')
fi
test -f "$node_include/node_api.h" || {
  echo "build.sh: no node_api.h in $node_include: install libnode-dev, or npm's node-api-headers and name its" \
    "folder include" >&2
  exit 1
}
mkdir -p build
cc=${CC:-cc}
libraries=
case $("$cc" -dumpmachine) in
  *darwin*) flags="-fPIC -bundle -undefined dynamic_lookup" ;;
  *mingw*) # what node.exe has is told by npm's node-api-headers
    { cat "$node_include/../def/js_native_api.def" && sed '/^NAME/d;/^EXPORTS/d' "$node_include/../def/node_api.def"; } \
      >build/node.def
    "${DLLTOOL:-${cc%gcc}dlltool}" -d build/node.def -D node.exe -l build/libnode.a
    flags="-shared -static-libgcc -D__USE_MINGW_ANSI_STDIO=1" libraries=build/libnode.a
    ;;
  *) flags="-fPIC -shared -pthread" ;;
esac
# Flags and libraries are words: no quotes.
# shellcheck disable=SC2086
"$cc" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -fvisibility=hidden $flags \
  -I"$include" -I"$node_include" addon/*.c -o build/rondo.node $libraries
