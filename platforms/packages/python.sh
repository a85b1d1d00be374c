# shellcheck shell=sh disable=SC2154  # make.sh reads this, behind common.sh
# Wheels with librondo inside, and the sdist, which compiles it and downloads nothing. A wheel is for this
# system, and for each other whose archive was made before (make.sh archives).
# shellcheck source=/dev/null
. "$packages/rust.sh" # rust_sources

# python_wheel LIBRARY PLATFORM
python_wheel() {
  (
    cd "$stage"
    rm -rf build
    chmod -R u=rwX,go=rX . # whatever the umask was when they were written
    RONDO_LIBRARY=$1 RONDO_WHEEL_PLATFORM=$2 python3 -m build --no-isolation --wheel --outdir "$work" .
  ) >>"$work/log" 2>&1 || {
    tail -n 30 "$work/log" >&2
    return 1
  }
}

# python_platform TARGET LIBRARY: what pip calls the systems that it runs on.
python_platform() {
  case $1 in
    *arm64) cpu_of_python=aarch64 ;;
    *) cpu_of_python=x86_64 ;;
  esac
  case $1 in
    linux-musl-*) echo "musllinux_1_2_$cpu_of_python" ;;
    linux-*)
      minor=$(grep -aoE 'GLIBC_2\.[0-9]+' "$2" | cut -d. -f2 | sort -n | tail -1)
      echo "manylinux_2_${minor}_$cpu_of_python"
      ;;
    windows-x64) echo win_amd64 ;;
    windows-arm64) echo win_arm64 ;;
    macos-x64) echo macosx_11_0_x86_64 ;;
    macos-arm64) echo macosx_11_0_arm64 ;;
  esac
}

python_package() {
  umask 022
  fresh python
  stage=$out/python-stage
  rm -rf "$stage"
  cp -R "$bindings/python" "$stage"
  # Where only the system's Python has what builds.
  python3 -c 'import build, setuptools, wheel' 2>/dev/null || PATH=/usr/bin:$PATH
  export PYTHONDONTWRITEBYTECODE=1 SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}"
  cp "$native"/LICENSE* "$stage"
  python_wheel "$native/librondo.so" "$(platform)"
  for target in linux-arm64 linux-musl-x64 linux-musl-arm64 windows-x64 windows-arm64 macos-x64 macos-arm64; do
    archive=$out/archives/rondo-$version-$target.tar.gz
    test -f "$archive" || continue
    mkdir -p "$work/unpacked"
    tar -xzf "$archive" -C "$work/unpacked"
    inside=$(find "$work/unpacked" -name 'librondo.so' -o -name 'librondo.dylib' -o -name 'rondo.dll')
    python_wheel "$inside" "$(python_platform "$target" "$inside")"
    rm -r "$work/unpacked"
  done
  python_sdist
  rm -r "$stage"
  for made in "$work"/*.whl "$work"/*.tar.gz; do
    basename "$made"
  done
}

# The same sources give the same archive, which setuptools does not see to.
python_sdist() {
  rm -f "$stage"/LICENSE.*
  rust_sources "$stage/source"
  (cd "$stage" && rm -rf build && chmod -R u=rwX,go=rX . && python3 -m build --no-isolation --sdist --outdir "$work" .) >>"$work/log" 2>&1 || {
    tail -n 30 "$work/log" >&2
    return 1
  }
  mkdir "$work/unpacked"
  tar -xzf "$work/rondo-$version.tar.gz" -C "$work/unpacked"
  tar --create --format=gnu --sort=name "--mtime=@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode=u+rwX,go=rX -C "$work/unpacked" "rondo-$version" | gzip -9 -n >"$work/rondo-$version.tar.gz"
  rm -r "$work/unpacked"
}
