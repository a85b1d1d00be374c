# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# One archive for each target: rondo-VERSION-TARGET.tar.gz with include, lib, lib/pkgconfig,
# lib/cmake/rondo and the licences of what is inside in share/doc. The libraries need nothing of a system
# but its C library, and find their way from wherever the archive is unpacked to.
targets="linux-x64 linux-arm64 linux-armhf linux-riscv64 linux-musl-x64 linux-musl-arm64 windows-x64
  windows-arm64 macos-x64 macos-arm64 ios-arm64 wasm32 none-cortex-m55"

archives_package() {
  mkdir -p "$out/archives"
  for target in ${RONDO_TARGETS:-$targets}; do
    archive_of "$target"
  done
}

archive_of() {
  target=$1
  built=$out/targets/$target
  preset=$target flags=
  case $target in
    linux-x64) preset=library built=$out/library ;; # the bindings' own
    linux-arm64) preset=arm64 ;;
  esac
  case $target in
    linux-musl-* | macos-* | windows-arm64) flags=-s ;; # zig's linker brings its own C++ library
    linux-*) flags="-static-libstdc++ -static-libgcc -s" ;;
    windows-*) flags=-s ;;
  esac
  mkdir -p "$built"
  # lib is lib on every system.
  cmake --preset "$preset" -S "$root" -B "$built" -DRONDO_BUNDLED=ON -DRONDO_TOOLS=OFF -DRONDO_TESTS=OFF \
    -DCMAKE_INSTALL_LIBDIR=lib "-DCMAKE_SHARED_LINKER_FLAGS=$flags" \
    >"$built/configure.log"
  cmake --build "$built" >"$built/build.log" || {
    tail -n 30 "$built/build.log" >&2
    echo "make.sh: $target is not built" >&2
    return 1
  }
  name=rondo-$version-$target
  fresh "targets/$target-installed"
  top=$work/$name
  if [ -f "$built/cmake_install.cmake" ] && grep -q rondo.pc "$built/cmake_install.cmake"; then
    cmake --install "$built" --prefix "$top" >/dev/null
  else # what is linked whole: the archive alone
    mkdir -p "$top/lib" "$top/include" "$top/share/doc/rondo-development"
    cp -R "$root/include/rondo" "$top/include"
    cp "$(find "$built/archive" -name librondo.a)" "$top/lib"
    cp "$root/LICENSE" "$top/share/doc/rondo-development"
    licences_of "$built" "$top/share/doc/rondo-development"
  fi
  pack "$out/archives/$name.tar.gz" "$work" "$name"
  rm -r "$work"
  echo "$name.tar.gz"
}
