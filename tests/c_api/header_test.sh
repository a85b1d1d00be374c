#!/bin/sh
# rondo.h compiles without a warning as C99, C11, C17, C++11 and C++17, by each compiler that is
# there; its layout is that of every recorded version, also for machines with 32 bits; on Windows
# its functions are imported, exported or neither, as they should.
#   header_test.sh SOURCE_DIR
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Werror'
has() { command -v "$1" >/dev/null; }
. tests/support/skipped.sh

# Twice, and in either order with what it needs itself.
printf '#include <rondo/rondo.h>\n#include <stddef.h>\n#include <rondo/rondo.h>\n' >"$work/header.c"
cp "$work/header.c" "$work/header.cc"
for compiler in gcc clang; do
  has $compiler || {
    skipped "no $compiler here"
    continue
  }
  for standard in c99 c11 c17; do
    # shellcheck disable=SC2086  # words
    $compiler -std=$standard $warnings -I include -fsyntax-only "$work/header.c"
  done
  for standard in c++11 c++17; do
    # shellcheck disable=SC2086
    $compiler -x c++ -std=$standard ${warnings% -Wstrict*} -Werror -I include -fsyntax-only \
      "$work/header.cc"
  done
  for layout in c_api/abi/*/layout.c; do
    # shellcheck disable=SC2086
    $compiler -std=c11 $warnings -I include -fsyntax-only "$layout"
  done
  echo "$compiler: C99, C11, C17, C++11, C++17, $(echo c_api/abi/*/layout.c | wc -w) layouts"
done

# On Windows: whether a function is imported, linked in or exported shows in the assembly.
use='uint32_t f(void); uint32_t f(void) { return rondo_abi_version(); }'
make='uint32_t rondo_abi_version(void) { return 0; }'
# windows COMPILER CODE FLAG PATTERN TIMES: how often it shows in what the compiler makes of that.
windows() {
  # shellcheck disable=SC2086  # none, or words
  shows=$(printf '#include <rondo/rondo.h>\n%s\n' "$2" | $1 -I include -x c -S -o - $3 - |
    grep -c -e "$4" || true)
  test "$shows" = "$5" || {
    echo "RONDO_API is not right for Windows: $1 $3: $4 shows $shows times, not $5" >&2
    exit 1
  }
}
# Each with what it calls an export.
for compiler in 'x86_64-w64-mingw32-gcc -std=c11' \
  'clang -target x86_64-pc-windows-msvc -ffreestanding -nostdlibinc'; do
  has "${compiler%% *}" || {
    skipped "no ${compiler%% *} here, for Windows"
    continue
  }
  windows "$compiler" "$use" "" __imp_rondo_abi_version 1
  windows "$compiler" "$use" -DRONDO_STATIC __imp_ 0
  windows "$compiler" "$make" -DRONDO_BUILD '[eE][xX][pP][oO][rR][tT]:.*rondo_abi_version' 1
  echo "Windows, by ${compiler%% *}: imported, exported, or linked in"
done
has x86_64-w64-mingw32-gcc && for layout in c_api/abi/*/layout.c; do
  # shellcheck disable=SC2086
  x86_64-w64-mingw32-gcc -std=c11 $warnings -I include -fsyntax-only "$layout"
done

has clang || exit 0
for target in x86_64-linux-gnu aarch64-linux-android i386-linux-gnu armv7-linux-gnueabihf \
  x86_64-pc-windows-msvc i386-pc-windows-msvc arm64-apple-ios wasm32; do
  for layout in c_api/abi/*/layout.c; do
    # shellcheck disable=SC2086
    clang -target $target -ffreestanding -nostdlibinc -DRONDO_STATIC -std=c11 $warnings -I include \
      -fsyntax-only "$layout"
  done
done
echo "layouts: the same for 64 bits, 32 bits and i386"
