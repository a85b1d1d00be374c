#!/bin/sh
# Writes the reference pages of rondo.h, OUT/html/index.html; 77 where there is no doxygen, but 1
# with RONDO_NO_SKIP. Whatever the header leaves undocumented is an error.
#   make.sh SOURCE_DIR OUT
# With RONDO_REFERENCE_XML=YES also OUT/xml, of which tools/manual/site makes pages.
set -eu
. "$1/tests/support/skipped.sh"
command -v doxygen >/dev/null || {
  skipped "no doxygen here (Debian: doxygen)"
  exit 77
}
mkdir -p "$2"
export RONDO_SOURCE="$1" RONDO_REFERENCE="$2" RONDO_REFERENCE_XML="${RONDO_REFERENCE_XML:-NO}"
doxygen "$1/c_api/reference/Doxyfile"
test -s "$2/html/rondo_8h.html"
echo "$2/html/index.html"
