#!/bin/sh
# SHA256SUMS over all that was made, and its signature by the key in RONDO_SIGNING_KEY_TEXT, which is kept in
# memory while it is needed. Without one the sums are there, and not signed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${RONDO_SIGNING_KEY_TEXT:-}" ]; then
  umask 077
  key=$(mktemp -p /dev/shm)
  trap 'rm -f "$key"' EXIT
  printf '%s\n' "$RONDO_SIGNING_KEY_TEXT" >"$key"
  export RONDO_SIGNING_KEY="$key"
fi
sh "$here/make.sh" sums
