#!/bin/sh
# Makes the bindings' packages in build/packages, with a library inside that needs nothing of a system
# but its C library. tests/c_api/packages_trial.sh tries them from outside.
#   packages.sh BINDING...      of: python node rust go java csharp
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
bindings=$root/c_api/bindings
out=$root/build/packages
version=0.1.0
case $(uname -m) in
  x86_64) cpu=x64 java_cpu=x86-64 ;;
  aarch64) cpu=arm64 java_cpu=aarch64 ;;
  *) echo "packages.sh: no package is made for $(uname -m)" >&2 && exit 1 ;;
esac
test $# -gt 0 || {
  sed -n '2,4s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
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
    echo "packages.sh: the library needs more than the C library" >&2
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
  cp -R "$root/CMakeLists.txt" "$root/CMakePresets.json" "$root/LICENSE" "$root/include" \
    "$root/runtime" "$root/platforms" "$1"
  cp "$root"/c_api/*.* "$1/c_api"
}

python_package() {
  fresh python
  (
    cd "$bindings/python"
    export PYTHONDONTWRITEBYTECODE=1 RONDO_LIBRARY="$native/librondo.so"
    RONDO_WHEEL_PLATFORM=$(platform) python3 -c \
      'import build_backend, sys; print(build_backend.build_wheel(sys.argv[1]))' "$work"
    python3 -c 'import build_backend, sys; print(build_backend.build_sdist(sys.argv[1]))' "$work"
  )
}

# With the library where lib/library.js looks for it: prebuilds/PLATFORM-CPU.
node_package() {
  fresh node
  cp -R "$bindings/node" "$work/package"
  mkdir -p "$work/package/prebuilds/linux-$cpu"
  cp "$native"/* "$work/package/prebuilds/linux-$cpu"
  npm pack --silent --pack-destination "$work" "$work/package"
}

# With the sources that the feature `vendored` builds.
rust_package() {
  fresh rust
  cp -R "$bindings/rust" "$work/rondo"
  sources "$work/rondo/source"
  (cd "$work/rondo" && cargo package --quiet --allow-dirty --no-verify --offline --target-dir "$work/target")
  mv "$work/target/package/rondo-$version.crate" "$work"
  rm -r "$work/target"
  echo "rondo-$version.crate"
}

# A folder for GOPROXY=file://..., as `go get` asks a proxy. RONDO_GO_MODULE is the module's address.
go_package() {
  fresh go
  module=${RONDO_GO_MODULE:-rondo.example/c_api/bindings/go}
  copy=$work/zip/$module@v$version
  mkdir -p "$copy" "$work/proxy/$module/@v"
  cp -R "$bindings/go/." "$copy"
  cp "$root/LICENSE" "$copy"
  sed -i "s,^module rondo\$,module $module," "$copy/go.mod"
  sed -i "s,\"rondo\",rondo \"$module\"," "$copy/example/main.go"
  (cd "$work/zip" && zip -q -r -D "$work/proxy/$module/@v/v$version.zip" "$module@v$version")
  cp "$copy/go.mod" "$work/proxy/$module/@v/v$version.mod"
  echo "{\"Version\": \"v$version\"}" >"$work/proxy/$module/@v/v$version.info"
  echo "v$version" >"$work/proxy/$module/@v/list"
  rm -r "$work/zip"
  echo "$module v$version"
}

# A Maven repository with rondo:rondo, the library where JNA finds it: linux-CPU.
java_package() {
  fresh java
  jna=${JNA:-/usr/share/java/jna.jar} # Debian's libjna-java
  javac -encoding UTF-8 --release 17 -cp "$jna" -d "$work/classes" \
    "$bindings"/java/src/main/java/rondo/*.java
  mkdir -p "$work/classes/linux-$java_cpu" "$work/classes/META-INF/maven/rondo/rondo"
  cp "$native/librondo.so" "$work/classes/linux-$java_cpu"
  cp "$native"/LICENSE* "$work/classes/META-INF"
  cp "$bindings/java/pom.xml" "$work/classes/META-INF/maven/rondo/rondo"
  place=$work/repository/rondo/rondo/$version
  mkdir -p "$place"
  jar --create --file "$place/rondo-$version.jar" -C "$work/classes" .
  cp "$bindings/java/pom.xml" "$place/rondo-$version.pom"
  rm -r "$work/classes"
  echo "rondo:rondo:$version"
}

# The binding as sources, which the project that takes it compiles, and the library for runtimes.
csharp_package() {
  fresh csharp
  nuget=$work/Rondo
  mkdir -p "$nuget/contentFiles/cs/any/Rondo" "$nuget/runtimes/linux-$cpu/native" "$nuget/_rels"
  cp "$bindings"/csharp/src/*.cs "$nuget/contentFiles/cs/any/Rondo"
  cp "$native/librondo.so" "$nuget/runtimes/linux-$cpu/native"
  cp "$native"/LICENSE* "$nuget"
  cp "$bindings/csharp/README.md" "$nuget"
  sed "s/VERSION/$version/" >"$nuget/Rondo.nuspec" <<'END'
<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata minClientVersion="3.3">
    <id>Rondo</id>
    <version>VERSION</version>
    <authors>Rondo</authors>
    <description>Language models on edge devices, in one planned block of memory</description>
    <license type="expression">MIT</license>
    <readme>README.md</readme>
    <contentFiles>
      <files include="cs/any/Rondo/*.cs" buildAction="Compile" />
    </contentFiles>
  </metadata>
</package>
END
  cat >"$nuget/_rels/.rels" <<'END'
<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/Rondo.nuspec" Id="R1" />
</Relationships>
END
  cat >"$nuget/[Content_Types].xml" <<'END'
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
  <Default Extension="nuspec" ContentType="application/octet" />
  <Default Extension="cs" ContentType="application/octet" />
  <Default Extension="so" ContentType="application/octet" />
  <Default Extension="md" ContentType="application/octet" />
END
  for licence in "$native"/LICENSE*; do
    echo "  <Override PartName=\"/$(basename "$licence")\" ContentType=\"application/octet\" />"
  done >>"$nuget/[Content_Types].xml"
  echo "</Types>" >>"$nuget/[Content_Types].xml"
  (cd "$nuget" && zip -q -r -X "../Rondo.$version.nupkg" '[Content_Types].xml' _rels Rondo.nuspec \
    README.md LICENSE* contentFiles runtimes)
  rm -r "$nuget"
  echo "Rondo.$version.nupkg"
}

mkdir -p "$out"
library
for binding in "$@"; do
  case $binding in
    python | node | rust | go | java | csharp) "${binding}_package" ;;
    *) echo "packages.sh: no package of '$binding'" >&2 && exit 2 ;;
  esac
done
