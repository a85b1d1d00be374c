# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh
# The crates rondo-sys, with all sources that the feature `vendored` compiles, and rondo.

# rust_third_party FROM TO: of the folders that a build keeps below FROM what it compiles and includes on
# any system, and the licences. XNNPACK alone has 165 MB.
rust_third_party() {
  for folder in "$1"/*-*; do
    name=$(basename "$folder")
    top=$(dirname "$(find "$folder" -maxdepth 2 -iname 'LICEN[CS]E*' | sort | head -1)")
    case $name in
      xnnpack-*)
        (cd "$top" && {
          find include src -name '*.h'
          ls LICENSE src/microparams-init.c src/reference/packing.cc src/tables/*.c
          # A kernel is named by its file's name without .c.
          find src -path '*/gen/*.c' | while read -r file; do
            stem=$(basename "$file" .c)
            case $kernels in *"$space$stem$space"*) echo "$file" ;; esac
          done
        }) >"$2.list"
        ;;
      pcre2-*) (cd "$top" && ls LICENCE* && find src -name '*.[ch]' ! -name 'pcre2grep.c' ! -name 'pcre2test.c' \
        ! -name 'pcre2_jit_test.c' ! -path '*/sljit/*' && ls src/*.generic src/*.dist) >"$2.list" ;;
      flatbuffers-*) (cd "$top" && ls LICENSE* && find include -name '*.h') >"$2.list" ;;
      utf8proc-*) (cd "$top" && ls LICENSE* utf8proc.c utf8proc.h utf8proc_data.c) >"$2.list" ;;
      xxhash-*) (cd "$top" && ls LICENSE* xxhash.h) >"$2.list" ;;
      *) (cd "$top" && find . -path './LICENSE*' -o -path './include/*' -type f -o -path './src/*' -type f) >"$2.list" ;; # pthreadpool, FXdiv
    esac
    mkdir -p "$2/$name"
    tar -C "$top" -cf - -T "$2.list" | tar -C "$2/$name" -xf -
  done
  rm -f "$2.list"
}

# rust_sources TO: what rondo-sys compiles, as its build.rs looks for it.
rust_sources() {
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/rondo # of third_party.cmake
  space=' '
  kernels=" $(tr '\n()";' '     ' <"$root/platforms/cmake/xnnpack_kernels.cmake") "
  mkdir -p "$1/c_api" "$1/schema" "$1/third_party/rondo"
  (cd "$root" && tar -cf - --exclude=platforms/packages --exclude=platforms/android CMakeLists.txt \
    CMakePresets.json LICENSE VERSION include runtime platforms c_api/*.cc c_api/*.h c_api/rondo.map \
    c_api/rondo.exports) | tar -C "$1" -xf -
  rust_third_party "$cache" "$1/third_party/rondo"
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
