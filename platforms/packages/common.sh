# shellcheck shell=sh disable=SC2034,SC2154  # read by make.sh and its packages
# What packages share: where things are, the version, names of CPUs, the library that is inside. make.sh
# reads it first; $root is set there.
packages=$root/platforms/packages
bindings=$root/c_api/bindings
out=$root/build/packages
version=$(cat "$root/VERSION")
case $(uname -m) in
  x86_64) cpu=x64 java_cpu=x86-64 ;;
  aarch64) cpu=arm64 java_cpu=aarch64 ;;
  *) echo "make.sh: no package is made for $(uname -m)" >&2 && exit 1 ;;
esac
native=$out/native # librondo.so, and the licences of what is inside

# fresh NAME: an empty folder of that name below `out`, as $work.
fresh() {
  work=$out/$1
  rm -rf "$work"
  mkdir -p "$work"
}

library() {
  built=$out/library
  cmake --preset library -S "$root" -B "$built" -DRONDO_BUNDLED=ON -DRONDO_TOOLS=OFF \
    -DCMAKE_SHARED_LINKER_FLAGS="-static-libstdc++ -static-libgcc" >"$out/configure.log"
  cmake --build "$built" --target librondo.so rondo_archive
  fresh native
  strip --strip-unneeded -o "$native/librondo.so" "$built/librondo.so"
  DESTDIR=$out/installed cmake --install "$built" --prefix / --component runtime >/dev/null
  cp "$out/installed/share/doc/rondo-runtime/"* "$native"
  rm -r "$out/installed"
  objdump -p "$native/librondo.so" | awk '$1 == "NEEDED" {print $2}' >"$out/needed"
  if grep -vE '^(libc|libm|libpthread|libdl|ld-linux-[a-z0-9-]+)\.so\.[0-9]+$' "$out/needed" >&2; then
    echo "make.sh: the library needs more than the C library" >&2
    exit 1
  fi
}

# The oldest C library that it runs with: manylinux_2_X.
platform() {
  minor=$(objdump -p "$native/librondo.so" | sed -n 's/.* GLIBC_2\.\([0-9]*\).*/\1/p' | sort -n | tail -1)
  echo "manylinux_2_${minor}_$(uname -m)"
}

# sources FOLDER: what the library is built from.
sources() {
  mkdir -p "$1/c_api"
  cp -R "$root/CMakeLists.txt" "$root/CMakePresets.json" "$root/LICENSE" "$root/VERSION" "$root/include" \
    "$root/runtime" "$root/platforms" "$1"
  cp "$root"/c_api/*.* "$1/c_api"
}
