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
case $(uname -s) in
  Darwin) link="-bundle -undefined dynamic_lookup" ;;
  *) link="-shared -pthread" ;;
esac
# Link flags are words: no quotes.
# shellcheck disable=SC2086
"${CC:-cc}" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -fPIC -fvisibility=hidden \
  -I"$include" -I"$node_include" addon/*.c -o build/rondo.node $link
