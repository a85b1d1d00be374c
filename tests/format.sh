#!/bin/sh
# Fails where a source file of ours is not formatted as .clang-format says.
set -eu
cd "$(dirname "$0")/.."
files=$(git ls-files '*.h' '*.cc' '*.c')
[ -n "$files" ] || {
  echo "format.sh: git tells of no files here" >&2
  exit 1
}
echo "$files" | xargs clang-format --dry-run -Werror
