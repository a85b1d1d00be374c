# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

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
