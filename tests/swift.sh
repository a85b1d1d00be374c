#!/bin/sh
# The Swift binding's tests by Debian 13's Swift, as Debian 12 has none: in a Debian of its own in
# build/swift, which is made once, or in RONDO_SWIFT_ROOT. As root, with debootstrap (installed where it is
# absent). It downloads 560 MB and takes 3.3 GB.
#   sh tests/swift.sh [BUILD_DIR]     a build of the library and the tool; build/release by default
set -eu
cd "$(dirname "$0")/.."
source=$PWD build=$(realpath "${1:-build/release}") root=${RONDO_SWIFT_ROOT:-$PWD/build/swift}
if [ ! -e "$root.made" ]; then
  command -v debootstrap >/dev/null || apt-get install -y --no-install-recommends debootstrap
  rm -rf "$root"
  mkdir -p build
  # Of a library that rondo.pc names, Swift wants the .pc file, too.
  debootstrap --variant=minbase --include=swiftlang,g++,git,pkgconf,libpcre2-dev,libutf8proc-dev trixie \
    "$root" >"$root.log" || {
    tail "$root.log" >&2
    exit 1
  }
  rm -f "$root"/var/cache/apt/archives/*.deb
  touch "$root.made"
fi
sh c_api/bindings/test.sh prepare "$source" "$build"
# What the library needs and that Debian lacks.
ldd "$build/librondo.so" | awk '$3 ~ /^\// { print $3 }' | while read -r library; do
  [ -e "$root$library" ] || cp -L "$library" "$root/usr/local/lib"
done
chroot "$root" ldconfig
# Both folders are there under the same names. The mounts and processes end with the tests.
mkdir -p "$root$source" "$root$build"
exec unshare --mount --pid --fork sh -euc '
  root=$0 source=$1 build=$2
  mount -t proc proc "$root/proc"
  mount --bind "$source" "$root$source"
  mount --bind "$build" "$root$build"
  exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin RONDO_NO_SKIP=1 \
    sh "$source/c_api/bindings/test.sh" swift "$source" "$build"' "$root" "$source" "$build"
