#!/bin/sh
# librondo.so exports exactly the functions that rondo.h declares, and librondo.a has no other global
# symbol, weak ones of templates included. Of libm it takes what is exact alone (square root,
# remainder, rounding): other functions have other bits on each system, and so would logits.
#   exports.sh NM CC HEADER SHARED_LIBRARY ARCHIVE
set -eu
nm=$1 cc=$2 header=$3 shared=$4 archive=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Declarations, without comments and macros: a name directly before its parameters.
"$cc" -E -P "$header" | grep -o '\brondo_[a-z0-9_]*[ ]*(' | tr -d ' (' | sort -u >"$work/declared"
# Symbols of the version script itself have the type A.
"$nm" -D --defined-only "$shared" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' | sort -u \
  >"$work/exported"
"$nm" -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | sort -u \
  >"$work/archived"

test -s "$work/declared" || {
  echo "no function was found in $header" >&2
  exit 1
}
for list in exported archived; do
  diff -u "$work/declared" "$work/$list" || {
    echo "the library's symbols ($list, +) differ from rondo.h (-)" >&2
    exit 1
  }
done
inexact='a?(sin|cos|tan)h?|sincos|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|cbrt|hypot|erfc?|[lt]gamma|atan2'
if "$nm" -D --undefined-only "$shared" | awk '{ sub("@.*", "", $2); print $2 }' |
  grep -xE "($inexact)[fl]?"; then
  echo "the library takes these functions from libm; runtime/base/portable_math.h has their like" >&2
  exit 1
fi
echo "$(wc -l <"$work/declared") functions, declared and exported alike"
