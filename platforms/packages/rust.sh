# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh
# The crates rondo-sys, with all sources that the feature `vendored` compiles, and rondo.

# rust_third_party NAME: what of a third party's folder, which this is, is compiled and included on any
# system, and its licence. XNNPACK alone has 165 MB.
rust_third_party() {
  case $1 in
    xnnpack-*)
      find include src -name '*.h'
      ls LICENSE src/microparams-init.c src/reference/packing.cc src/tables/*.c
      # A kernel is named by its file's name without .c.
      find src -path '*/gen/*.c' | awk -F '[ ()";]+' '
        NR == FNR { for (i = 1; i <= NF; ++i) kernels[$i]; next }
        { name = $0; gsub(/.*\/|\.c$/, "", name) }
        name in kernels' "$root/platforms/cmake/xnnpack_kernels.cmake" -
      ;;
    pcre2-*)
      ls LICENCE* src/*.generic src/*.dist
      find src -maxdepth 1 -name '*.[ch]' ! -name 'pcre2grep.c' ! -name 'pcre2*test.c'
      ;;
    flatbuffers-*) find LICENSE* include -name 'LICENSE*' -o -name '*.h' ;;
    utf8proc-*) ls LICENSE* utf8proc.c utf8proc.h utf8proc_data.c ;;
    xxhash-*) ls LICENSE* xxhash.h ;;
    pthreadpool-*) find LICENSE include src -type f ;;
    fxdiv-*) find LICENSE include -type f ;;
  esac
}

# rust_sources TO: what rondo-sys compiles, as its build.rs looks for it. Those of third parties are in the
# cache that the library was just built from (third_party.cmake).
rust_sources() {
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/rondo
  third_party=$1/third_party/rondo
  mkdir -p "$1/schema" "$third_party"
  (cd "$root" && tar -cf - --exclude=platforms/packages --exclude=platforms/android CMakeLists.txt \
    CMakePresets.json LICENSE VERSION include runtime platforms c_api/*.cc c_api/*.h c_api/rondo.map \
    c_api/rondo.exports) | tar -C "$1" -xf -
  for folder in "$cache"/*-*; do
    name=$(basename "$folder")
    # Of the version that is pinned now.
    grep -q "${name##*-}" "$root/platforms/cmake/third_party.cmake" \
      "$root/platforms/cmake/bundled_libraries.cmake" || continue
    top=$(dirname "$(find "$folder" -maxdepth 2 -iname 'LICEN[CS]E*' | sort | head -1)")
    (cd "$top" && rust_third_party "$name") >"$out/files"
    test -s "$out/files" || continue # of the program alone
    mkdir "$third_party/$name"
    tar -C "$top" -cf - -T "$out/files" | tar -C "$third_party/$name" -xf -
  done
  rm "$out/files"
  test "$(find "$third_party" -mindepth 1 -maxdepth 1 | wc -l)" = 7 || {
    echo "rust.sh: not all sources of third parties are in $cache" >&2
    exit 1
  }
  for schema in "$root"/runtime/model/*.fbs; do
    flatc --cpp --cpp-std c++17 --scoped-enums --gen-object-api -o "$1/schema" \
      -I "$root/runtime/model" "$schema"
  done
}

rust_package() {
  fresh rust
  cp -R "$bindings/rust" "$work/rondo"
  rust_sources "$work/rondo/rondo-sys/source"
  cp "$root/LICENSE" "$work/rondo"
  cp "$root/LICENSE" "$work/rondo/rondo-sys"
  (cd "$work/rondo" && cargo package --quiet --workspace --allow-dirty --no-verify --offline \
    --target-dir "$work/target")
  for crate in rondo-sys rondo; do
    mv "$work/target/package/$crate-$version.crate" "$work"
    echo "$crate-$version.crate"
  done
  rm -r "$work/target"
}
