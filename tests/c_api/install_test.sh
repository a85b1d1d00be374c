#!/bin/sh
# What `cmake --install` leaves serves a C program that has never seen this repository: through
# pkg-config and through find_package, with the shared and the static library. The program defines
# a function named as one inside the library, which must not clash.
#   install_test.sh CMAKE BUILD_DIR CC
set -eu
cmake=$1 build=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
"$cmake" --install "$build" --prefix "$prefix" >/dev/null

cat >"$work/main.c" <<'END'
#include <rondo/rondo.h>
#include <stdio.h>

int pthreadpool_create(void) { return 7; }

int main(void) {
  if (rondo_abi_version() == 0 || pthreadpool_create() != 7) return 1;
  puts("works");
  return 0;
}
END

check() {
  test "$("$2")" = works || {
    echo "$1: the program does not run" >&2
    exit 1
  }
  echo "$1: works"
}

libdir=$(dirname "$(find "$prefix" -name librondo.a)")
if command -v pkg-config >/dev/null; then
  for name in rondo rondo-static; do
    flags=$(PKG_CONFIG_PATH="$libdir/pkgconfig" pkg-config --cflags --libs $name)
    # shellcheck disable=SC2086  # flags are words
    "$cc" -std=c99 -Wall -Wextra -Werror -pedantic "$work/main.c" -o "$work/$name" $flags \
      -Wl,-rpath,"$libdir"
    check "pkg-config $name" "$work/$name"
  done
else
  echo "pkg-config: not installed, not tried"
fi

cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer C)
find_package(rondo 0.1 REQUIRED)
foreach(kind rondo static)
  add_executable(with_${kind} main.c)
  target_link_libraries(with_${kind} rondo::${kind})
endforeach()
END
"$cmake" -G Ninja -S "$work" -B "$work/build" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
"$cmake" --build "$work/build" >/dev/null
check "find_package rondo::rondo" "$work/build/with_rondo"
check "find_package rondo::static" "$work/build/with_static"
