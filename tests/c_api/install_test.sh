#!/bin/sh
# What `cmake --install` and cpack leave serves C programs that have never seen this repository:
# through pkg-config and find_package, with the shared and the static library, and beside a copy of
# XNNPACK and pthreadpool of their own.
#   install_test.sh CMAKE BUILD_DIR CC SOURCE_DIR
set -eu
cmake=$1 build=$2 cc=$3 source=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
"$cmake" --install "$build" --prefix "$prefix" >/dev/null
libdir=$(dirname "$(find "$prefix" -name librondo.a)")

fail() {
  echo "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null; }
. "$source/tests/support/skipped.sh"

for file in bin/rondo include/rondo/rondo.h share/man/man1/rondo.1 share/man/man1/rondo-run.1 \
  share/bash-completion/completions/rondo share/zsh/site-functions/_rondo \
  share/fish/vendor_completions.d/rondo.fish share/doc/rondo/LICENSE.xnnpack; do
  test -s "$prefix/$file" || fail "install: there is no $file"
done

# The program runs from where it was put; the model is for what follows.
model=$work/tiny.rondo
"$prefix/bin/rondo" convert "$source/tests/data/tiny" -o "$model" --weights q8 >/dev/null
prompt="Today's weather is so"
cp "$source/c_api/examples/generate.c" "$work/main.c"

# Every function of XNNPACK and pthreadpool that is inside of the library, as something else.
{
  echo '#include <stdlib.h>'
  ${NM:-nm} "$libdir/librondo.a" | awk '$2 ~ /^[tT]$/ && $3 ~ /^(xnn_|pthreadpool_)[a-z0-9_]*$/ {
    print "void " $3 "(void); void " $3 "(void) { abort(); }" }' | sort -u
} >"$work/others.c"
count=$(grep -c '^void xnn_' "$work/others.c") || true
test "$count" -gt 50 || fail "clash: only $count functions of XNNPACK were found in librondo.a"

expected=
check() {
  text=$("$2" "$model" "$prompt") || fail "$1: the program does not run"
  expected=${expected:-$text}
  test -n "$text" && test "$text" = "$expected" || fail "$1: it says: $text; expected: $expected"
  echo "$1: works"
}
compile() { "$cc" -std=c99 -Wall -Wextra -Werror -pedantic "$@"; }

if has pkg-config; then
  for name in rondo rondo-static; do
    flags=$(PKG_CONFIG_PATH="$libdir/pkgconfig" pkg-config --cflags --libs $name)
    # -rdynamic: what the host defines goes before what a shared library needs.
    # shellcheck disable=SC2086  # flags are words
    compile "$work/main.c" -o "$work/$name" $flags -Wl,-rpath,"$libdir"
    # shellcheck disable=SC2086
    compile -rdynamic "$work/main.c" "$work/others.c" -o "$work/$name-clash" $flags \
      -Wl,-rpath,"$libdir"
    check "pkg-config $name" "$work/$name"
    check "pkg-config $name beside $count other functions" "$work/$name-clash"
  done
  flags=$(PKG_CONFIG_PATH="$libdir/pkgconfig" pkg-config --static --cflags --libs rondo)
  # shellcheck disable=SC2086
  compile -static "$work/main.c" -o "$work/whole" $flags
  check "pkg-config --static rondo" "$work/whole"
else
  skipped "no pkg-config here"
fi

cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer C)
if(lacking)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .none)
endif()
find_package(rondo @version@ REQUIRED COMPONENTS ${kind} OPTIONAL_COMPONENTS other)
if(rondo_other_FOUND)
  message(FATAL_ERROR "there is no such component")
endif()
set(target_shared rondo::rondo)
set(target_static rondo::static)
add_executable(consumer main.c)
target_link_libraries(consumer ${target_${kind}})
END
sed -i "s/@version@/$(cut -d. -f1,2 "$source/VERSION")/" "$work/CMakeLists.txt"
for kind in shared static; do
  "$cmake" -G Ninja -S "$work" -B "$work/$kind" -DCMAKE_C_COMPILER="$cc" -Dkind=$kind \
    -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
  "$cmake" --build "$work/$kind" >/dev/null
  check "find_package $kind" "$work/$kind/consumer"
done
# What the archive needs may lie in a prefix of its own, which is then where it is linked from.
needed=$work/needed
mkdir -p "$needed/lib/pkgconfig"
for name in pcre2 utf8proc; do
  file=$(sed -n "s/^RONDO_${name}_LIBRARY:FILEPATH=//p" "$build/CMakeCache.txt")
  cp "$file" "$needed/lib"
  base=$(basename "$file")
  base=${base%%.*}
  printf 'Name: x\nDescription: x\nVersion: 1\nLibs: -L%s -l%s\n' "$needed/lib" "${base#lib}" \
    >"$needed/lib/pkgconfig/$base.pc"
done
"$cmake" -G Ninja -S "$work" -B "$work/elsewhere" -DCMAKE_C_COMPILER="$cc" -Dkind=static \
  -DCMAKE_PREFIX_PATH="$prefix;$needed" >/dev/null
"$cmake" --build "$work/elsewhere" --verbose >"$work/log"
for name in pcre2-8 utf8proc; do
  grep -q "$needed/lib/lib$name\." "$work/log" ||
    fail "find_package: lib$name is not linked from $needed: $(cat "$work/log")"
done
check "find_package static, from another prefix" "$work/elsewhere/consumer"
if has pkg-config; then
  for flags in rondo-static '--static rondo'; do
    # shellcheck disable=SC2086
    PKG_CONFIG_PATH="$libdir/pkgconfig:$needed/lib/pkgconfig" pkg-config --libs $flags >"$work/log"
    grep -q -e "-L$needed/lib" "$work/log" || fail "pkg-config: $flags is $(cat "$work/log")"
    ! grep -q -e '-lpcre2-8.*-lpcre2-8' "$work/log" || fail "pkg-config: $flags is $(cat "$work/log")"
  done
fi
# Where it is not found, the package says so.
if "$cmake" -G Ninja -S "$work" -B "$work/lacking" -DCMAKE_C_COMPILER="$cc" -Dkind=static \
  -DCMAKE_PREFIX_PATH="$prefix" -Dlacking=ON >"$work/log" 2>&1 ||
  ! tr -s ' \n' ' ' <"$work/log" | grep -q 'librondo.a needs libpcre2-8, libutf8proc'; then
  cat "$work/log" >&2
  fail "find_package: it does not say that a library is absent"
fi

# Without its library a component is not there, and the other one is.
rm "$libdir/librondo.a"
if "$cmake" -G Ninja -S "$work" -B "$work/gone" -DCMAKE_C_COMPILER="$cc" -Dkind=static \
  -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 || ! grep -q 'static library is not installed' "$work/log"; then
  cat "$work/log" >&2
  fail "find_package: it finds a static library that is not installed"
fi
"$cmake" -G Ninja -S "$work" -B "$work/gone" -Dkind=shared >/dev/null

# Packages, unpacked, not installed. cpack comes with cmake.
(cd "$work" && "$(dirname "$cmake")/cpack" --config "$build/CPackConfig.cmake" -B "$work/packages") \
  >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  fail "cpack failed"
}
mkdir "$work/tar"
tar -xzf "$work"/packages/rondo-*.tar.gz -C "$work/tar" --strip-components 1
for package in "$work"/packages/*.deb; do
  test -e "$package" && has dpkg-deb || {
    skipped "no .deb is made or read here (Debian: dpkg-dev file)"
    break
  }
  dpkg-deb -x "$package" "$work/deb"
  echo "$(basename "$package"): $(dpkg-deb -f "$package" Installed-Size) KB," \
    "needs $(dpkg-deb -f "$package" Depends)"
done
for root in "$work/tar" "$work/deb/usr"; do
  test -d "$root" || continue
  libdir=$root/lib
  compile "$work/main.c" -I "$root/include" -L "$libdir" -lrondo -Wl,-rpath,"$libdir" -o "$work/p"
  check "package, $(basename "$(dirname "$root")")/$(basename "$root")" "$work/p"
  test "$("$root/bin/rondo" --version)" = "$("$prefix/bin/rondo" --version)" ||
    fail "package: rondo does not run"
done
