# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# The program as one file that needs nothing of its system: rondo-tool-VERSION-TARGET.tar.gz with
# bin/rondo, its man pages, completions, systemd units and licences; for Windows a .zip, whose program has no
# serve. libjpeg, libpng, libwebp and libedit are not inside: pictures are read as PPM there, and chat reads
# plain lines.
tool_package() {
  mkdir -p "$out/tool"
  for target in ${RONDO_TARGETS:-linux-x64 linux-arm64 windows-x64}; do
    tool_of "$target"
  done
}

tool_of() {
  target=$1
  libraries=$out/tool/libraries-$target
  built=$out/tool/build-$target
  case $target in
    linux-*)
      sh "$packages/tool_libraries.sh" "$target" "$libraries"
      preset=linux-musl-${target#linux-} also=rondo_manual
      found="-DRONDO_microhttpd_INCLUDE=$libraries/include
        -DRONDO_microhttpd_LIBRARY=$libraries/lib/libmicrohttpd.a"
      ;;
    *) preset=$target found='' also='' ;;
  esac
  mkdir -p "$built"
  # shellcheck disable=SC2086  # words
  cmake --preset "$preset" -S "$root" -B "$built" -DRONDO_BUNDLED=ON -DRONDO_TOOLS=ON -DRONDO_TESTS=OFF \
    -DCMAKE_INSTALL_LIBDIR=lib $found \
    "-DCMAKE_EXE_LINKER_FLAGS=-static -s" >"$built/configure.log"
  cmake --build "$built" --target rondo_tool $also >"$built/build.log" || {
    tail -n 30 "$built/build.log" >&2
    echo "make.sh: the program of $target is not built" >&2
    return 1
  }
  name=rondo-tool-$version-$target
  fresh "tool/installed"
  top=$work/$name
  doc=$top/share/doc/rondo
  mkdir -p "$top/bin" "$doc"
  case $target in
    windows-*) cp "$built/rondo.exe" "$top/bin" ;;
    *) cp "$built/rondo" "$top/bin" ;;
  esac
  cp "$root/LICENSE" "$doc"
  [ ! -d "$libraries/licences" ] || cp "$libraries"/licences/* "$doc"
  licences_of "$built" "$doc"
  case $target in
    linux-*)
      cp -R "$built/manual/." "$top/share"
      mkdir -p "$top/lib/systemd/system"
      cp "$root"/tools/serve/deploy/rondo.service "$root"/tools/serve/deploy/rondo.socket "$top/lib/systemd/system"
      pack "$out/tool/$name.tar.gz" "$work" "$name"
      echo "$name.tar.gz"
      ;;
    windows-*)
      pack_zip "$out/tool/$name.zip" "$work" "$name"
      echo "$name.zip"
      ;;
  esac
  rm -r "$work"
}
