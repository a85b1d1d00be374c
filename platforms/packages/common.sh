# shellcheck shell=sh disable=SC2034,SC2154  # read by make.sh and its packages
# What packages share: where things are, the version, names of CPUs, how archives are packed, the library
# that is inside. make.sh reads it first; $root is set there.
packages=$root/platforms/packages
bindings=$root/c_api/bindings
out=$root/build/packages
version=$(cat "$root/VERSION")
case $(uname -m) in
  x86_64) cpu=x64 ;;
  aarch64) cpu=arm64 ;;
  *) echo "make.sh: no package is made for $(uname -m)" >&2 && exit 1 ;;
esac
native=$out/native # librondo.so, and the licences of what is inside

# The same sources give the same bytes, whoever packs them, where and when: files are as old as the commit,
# belong to nobody, are sorted by their bytes and readable by all.
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null) || {
    echo "make.sh: there is no git history: set SOURCE_DATE_EPOCH to the release's time" >&2
    exit 1
  }
fi
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
umask 022

# tar_of FOLDER NAME: that entry of FOLDER as a tar archive, to the standard output.
tar_of() {
  tar --create --format=ustar --sort=name "--mtime=@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
    --numeric-owner --mode=u+rwX,go=rX -C "$1" "$2"
}

# pack FILE.tar.gz FOLDER NAME
pack() {
  tar_of "$2" "$3" | gzip -6 -n >"$1"
}

# pack_zip FILE.zip FOLDER NAME...: those entries of FOLDER. FILE is a whole path.
pack_zip() {
  zip=$1
  rm -f "$zip"
  (
    cd "$2" || exit
    shift 2
    find "$@" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    find "$@" -type f | sort | zip -q -X -D -9 "$zip" -@
  )
}

# fresh NAME: an empty folder of that name below `out`, as $work.
fresh() {
  work=$out/$1
  rm -rf "$work"
  mkdir -p "$work"
}

# library: librondo.so in $native, once. It is linked without debug information, whose paths its build ID
# would be made of, too.
library() {
  test -z "${library_made:-}" || return 0
  library_made=yes
  built=$out/library
  mkdir -p "$built"
  cmake --preset library -S "$root" -B "$built" -DRONDO_BUNDLED=ON -DRONDO_TOOLS=OFF -DRONDO_TESTS=OFF \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_SHARED_LINKER_FLAGS="-static-libstdc++ -static-libgcc -s" >"$out/configure.log"
  cmake --build "$built" --target librondo.so rondo_archive
  fresh native
  cp "$built/librondo.so" "$native"
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

# download PATH SHA256 FILE: an archive of the system's package mirror, PATH below pool/main, kept in the
# cache folder.
download() {
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/rondo/archives
  kept=$cache/$2
  if [ ! -f "$kept" ]; then
    mkdir -p "$cache"
    # shellcheck disable=SC2016  # apt's own variable
    for mirror in $(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | sort -u); do
      /usr/lib/apt/apt-helper -qq -o APT::Sandbox::User= download-file "${mirror%/}/pool/main/$1" \
        "$kept.part" "SHA256:$2" >/dev/null 2>&1 && break
    done
    echo "$2  $kept.part" | sha256sum --check --quiet || {
      echo "make.sh: no mirror has $1 as it was" >&2
      exit 1
    }
    mv "$kept.part" "$kept"
  fi
  cp "$kept" "$3"
}

# licences_of BUILD FOLDER: those of the third parties whose sources that build took.
licences_of() {
  sed -n 's/^RONDO_\(TOOL_\)\{0,1\}LICENCES:INTERNAL=//p' "$1/CMakeCache.txt" | tr ';' '\n' | while IFS='|' read -r name file; do
    cp "$file" "$2/LICENSE.$name"
  done
}

# unpack ARCHIVE FOLDER: what is inside, without the folder on top that some archives have.
unpack() {
  mkdir -p "$2"
  tar -xf "$1" -C "$2"
  within=$(ls -A "$2")
  if [ "$(echo "$within" | wc -l)" = 1 ] && [ -d "$2/$within" ]; then
    mv "$2/$within" "$2.within"
    rmdir "$2"
    mv "$2.within" "$2"
  fi
}
