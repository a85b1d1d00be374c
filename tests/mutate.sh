#!/bin/sh
# Mutation test: does anything notice when one line of Rondo is wrong? Each edit in
# tests/mutations/*.txt is made in a copy of the work tree, built, and the tests that should notice
# are run; an edit that they do not notice has survived. Not a part of tests/run.sh: an hour or more.
#   sh tests/mutate.sh                 all edits; the result is in build/mutate/result.txt
#   sh tests/mutate.sh kv families 12  those of these files, or of these numbers
#   sh tests/mutate.sh --check         only whether each edit still finds its line
# The exit code is 0 only where every edit was made, built and noticed.
set -eu
cd "$(dirname "$0")/.."
if [ "${1:-}" != --check ]; then sh tools/install_packages.sh test; fi
exec python3 tests/mutations/mutate.py "$@"
