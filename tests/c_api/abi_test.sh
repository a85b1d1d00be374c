#!/bin/sh
# Today's library is compatible with every recorded version of the ABI (c_api/abi/README.md), and
# refuses programs that want a newer one.
#   abi_test.sh SOURCE_DIR LIBRARY TOOL CC
set -eu
source=$1 library=$2 tool=$3 cc=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source/c_api/abi"
fail() {
  echo "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null; }
. "$source/tests/support/skipped.sh"
# What a header declares: no comments, no directives.
declares() { "$cc" -E -P "$1" | sed -n '/^typedef struct rondo_model rondo_model;/,$p' | tr -s ' \n'; }
version() { sed -n 's/^#define RONDO_ABI_VERSION \([0-9]*\)u$/\1/p' "$1"; }

versions=$(ls -d [0-9]*.[0-9]* | sort -t . -k 1n -k 2n)
newest=$(echo "$versions" | tail -n 1)
header=$source/include/rondo/rondo.h
declares "$newest/rondo/rondo.h" >"$work/recorded"
declares "$header" >"$work/today"
test -s "$work/today" || fail "no declarations were found in rondo.h"
if [ "$(version "$header")" -le "$(version "$newest/rondo/rondo.h")" ]; then
  diff -u "$work/recorded" "$work/today" ||
    fail "rondo.h declares something else than ABI $newest: raise RONDO_ABI_VERSION"
fi

# Structs that grew: layout.c holds what they had, field by field; abidiff looks at the others.
grown() {
  awk -F'"' '/<class-decl name="rondo_/ && /size-in-bits/ {
    size = $0
    sub(/.*size-in-bits="/, "", size)
    if (FNR == NR) before[$2] = size + 0
    else if ($2 in before && size + 0 > before[$2]) {
      print "[suppress_type]\n  type_kind = struct\n  name = " $2
    }
  }' "$1" "$2"
}
# abidiff's exit code: 1 and 2 are errors of its own and of usage, 4 a change, 8 one that breaks.
compare() {
  grown "$1" "$2" >"$work/grown.abignore"
  abidiff --suppressions "$work/grown.abignore" --no-added-syms "$1" "$2"
}
if [ "$(uname -m)" != x86_64 ]; then
  echo "SKIPPED: abidiff: what is recorded is x86-64's"
elif has abidiff && has python3; then
  python3 record.py "$library" "$work/today.abi"
  for recorded in $versions; do
    compare "$recorded/librondo.abi" "$work/today.abi" ||
      fail "abidiff: the library is not compatible with ABI $recorded"
  done
  echo "abidiff: compatible with ABI" $versions
  # It does see a field of another place, and one of another type, where a struct has not grown.
  for change in '/ name="bias"/s/type-id="[^"]*"/type-id="type-id-5"/' \
    's/layout-offset-in-bits="64"/layout-offset-in-bits="96"/'; do
    sed "$change" "$newest/librondo.abi" >"$work/broken.abi"
    if compare "$work/broken.abi" "$work/today.abi" >/dev/null 2>&1; then
      fail "abidiff does not find a change: $change"
    fi
  done
else
  skipped "no abidiff or no python3 here (Debian: abigail-tools)"
fi

"$tool" convert "$source/tests/data/tiny" -o "$work/tiny.rondo" --weights q8 >/dev/null
folder=$(dirname "$library")
link() { "$cc" -std=c99 -Wall -Wextra -Werror "$@" "$library" -Wl,-rpath,"$folder"; }
expected=
for recorded in $versions; do
  link -I "$recorded" "$source/tests/c_api/recorded_program.c" -o "$work/program"
  tokens=$("$work/program" "$work/tiny.rondo") || fail "a program of ABI $recorded fails"
  expected=${expected:-$tokens}
  test "$tokens" = "$expected" || fail "ABI $recorded: $tokens; expected: $expected"
  echo "a program of ABI $recorded: $tokens"
done

# Tomorrow's header, made of today's.
mkdir "$work/rondo"
sed -e "s/^#define RONDO_ABI_VERSION .*/#define RONDO_ABI_VERSION $(($(version "$header") + 1))u/" \
  -e 's/^} \(rondo_[a-z_]*\);/  uint64_t future; } \1;/' "$header" >"$work/rondo/rondo.h"
link -I "$work" "$source/tests/c_api/newer_program.c" -o "$work/program"
"$work/program" "$work/tiny.rondo" || fail "a program of the next ABI is not refused as it should"

# One that needs a function of tomorrow does not start with the library of today.
echo 'void rondo_future(void); void rondo_future(void) {}' >"$work/future.c"
echo 'RONDO_0.9999 { global: rondo_*; local: *; };' >"$work/future.map"
echo 'void rondo_future(void); int main(void) { rondo_future(); return 0; }' >"$work/main.c"
mkdir "$work/tomorrow"
soname=$(cd "$folder" && ls librondo.so.* | awk 'length < shortest || !shortest {
  shortest = length; name = $0 } END { print name }')
"$cc" -shared -fPIC "$work/future.c" -Wl,--version-script="$work/future.map" \
  -Wl,-soname,"$soname" -o "$work/tomorrow/$soname"
"$cc" "$work/main.c" "$work/tomorrow/$soname" -o "$work/program"
LD_LIBRARY_PATH=$work/tomorrow "$work/program" || fail "the program of tomorrow does not run at all"
if LD_LIBRARY_PATH=$folder "$work/program" 2>"$work/log"; then
  fail "a program that needs a newer function starts"
fi
grep -q "RONDO_0.9999' not found" "$work/log" || fail "the loader says: $(cat "$work/log")"
sed 's/^.*: version/the loader: version/' "$work/log"
