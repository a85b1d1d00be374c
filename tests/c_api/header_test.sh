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

# Twice, and in either order with what it needs itself.
printf '#include <rondo/rondo.h>\n#include <stddef.h>\n#include <rondo/rondo.h>\n' >"$work/header.c"
cp "$work/header.c" "$work/header.cc"
for compiler in gcc clang; do
  has $compiler || {
    echo "$compiler: not installed, not tried"
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

windows() {
  printf '#include <rondo/rondo.h>\n%s\n' "$1" | clang -target x86_64-pc-windows-msvc \
    -ffreestanding -nostdlibinc -I include -x c -S -emit-llvm -o - $2 - | grep -c "$3" || true
}
use='uint32_t f(void); uint32_t f(void) { return rondo_abi_version(); }'
make='uint32_t rondo_abi_version(void) { return 0; }'
test "$(windows "$use" "" dllimport)" = 1 && test "$(windows "$use" -DRONDO_STATIC dllimport)" = 0 &&
  test "$(windows "$make" -DRONDO_BUILD dllexport)" = 1 || {
  echo "RONDO_API is not right for Windows" >&2
  exit 1
}
echo "Windows: imported, exported, or linked in"
