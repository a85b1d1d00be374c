#!/bin/sh
# Builds libmicrohttpd for `rondo serve` as an archive for musl, for the program that is one file. CMake builds
# what else is inside; this one has but a configure script.
#   sh platforms/packages/tool_libraries.sh TARGET FOLDER     linux-x64 or linux-arm64
# Leaves include, lib and licences in FOLDER, and does nothing where they are there. The sources are
# archives of the system's package mirror, each known by its SHA-256.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
target=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
[ ! -e "$folder/.complete" ] || exit 0
cache=${XDG_CACHE_HOME:-$HOME/.cache}/rondo
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc 2>/dev/null || echo 2)}
case $target in
  linux-x64) zig=x86_64-linux-musl machine=x86_64 ;;
  linux-arm64) zig=aarch64-linux-musl machine=aarch64 ;;
  *) echo "tool_libraries.sh: no libraries for '$target'" >&2 && exit 2 ;;
esac

# fetch NAME PATH SHA256: its sources in $sources, from PATH below pool/main of a mirror.
fetch() {
  unpacked=$cache/$1-$(echo "$3" | cut -c 1-12)
  if [ ! -d "$unpacked" ]; then
    mkdir -p "$cache"
    work=$(mktemp -d "$cache/$1.XXXXXX")
    # shellcheck disable=SC2016  # apt's own variable
    for mirror in $(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | sort -u); do
      /usr/lib/apt/apt-helper -qq -o APT::Sandbox::User= download-file "${mirror%/}/pool/main/$2" \
        "$work/archive" "SHA256:$3" >/dev/null 2>&1 && break
    done
    echo "$3  $work/archive" | sha256sum --check --quiet || {
      echo "tool_libraries.sh: no mirror has $2 as it was" >&2
      exit 1
    }
    mkdir "$work/unpacked"
    tar -xf "$work/archive" -C "$work/unpacked" --strip-components=1
    mv -T "$work/unpacked" "$unpacked" 2>/dev/null || test -d "$unpacked"
    rm -rf "$work"
  fi
  sources=$unpacked
}

build=$folder/build
mkdir -p "$build" "$folder/licences"
licence() { cp "$sources/$2" "$folder/licences/LICENSE.$1"; }
program=$(sh "$here/../cmake/zig.sh")/zig
printf '#!/bin/sh\nexec "%s" cc -target %s "$@"\n' "$program" "$zig" >"$build/cc"
printf '#!/bin/sh\nexec "%s" ar "$@"\n' "$program" >"$build/ar"
chmod +x "$build/cc" "$build/ar"
compiler=$build/cc archiver=$build/ar

fetch libmicrohttpd libm/libmicrohttpd/libmicrohttpd_1.0.1.orig.tar.gz \
  a89e09fc9b4de34dde19f4fcb4faaa1ce10299b9908db1132bbfa1de47882b94
licence libmicrohttpd COPYING
mkdir -p "$build/microhttpd"
(
  cd "$build/microhttpd"
  "$sources/configure" --host="$machine-linux-musl" --prefix="$folder" --disable-shared --enable-static \
    --disable-https --disable-doc --disable-examples --disable-tools --disable-curl \
    --disable-dependency-tracking CC="$compiler" AR="$archiver" RANLIB="$program ranlib" CFLAGS='-O2 -g0'
  make -j "$jobs" -C src/microhttpd install-libLTLIBRARIES
  make -C src/include install
) >"$build/microhttpd.log" 2>&1 || { tail -n 20 "$build/microhttpd.log" >&2 && exit 1; }

rm -rf "$build"
: >"$folder/.complete"
