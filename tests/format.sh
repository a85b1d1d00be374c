#!/bin/sh
# Fails where a source file of ours is not formatted as .clang-format says.
set -eu
cd "$(dirname "$0")/.."
git ls-files -z '*.h' '*.cc' '*.c' | xargs -0 clang-format --dry-run -Werror
