# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# A NuGet package: the binding for .NET Standard and .NET with its documentation, and the library where .NET
# looks for it. It is the same, byte for byte, wherever and whenever it is made.
csharp_package() {
  fresh csharp
  (
    # shellcheck source=/dev/null
    . "$bindings/csharp/dotnet.sh"
    dotnet_sdk "$out/dotnet" || {
      echo "csharp.sh: no dotnet here, and npm's registry does not give one" >&2
      exit 1
    }
    cp -R "$bindings/csharp" "$work/sources"
    cd "$work/sources"
    "$dotnet" build -c Release --nologo -v q Rondo.csproj
  )
  nuget=$work/Rondo
  mkdir -p "$nuget/lib" "$nuget/runtimes/linux-$cpu/native" "$nuget/_rels"
  for framework in netstandard2.1 netcoreapp3.1; do
    mkdir "$nuget/lib/$framework"
    cp "$work/sources/bin/Release/$framework/Rondo.dll" "$work/sources/bin/Release/$framework/Rondo.xml" \
      "$nuget/lib/$framework"
  done
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
    <tags>llm inference embedding gguf edge native</tags>
    <license type="expression">MIT</license>
    <readme>README.md</readme>
    <dependencies>
      <group targetFramework=".NETStandard2.1" />
      <group targetFramework=".NETCoreApp3.1" />
    </dependencies>
  </metadata>
</package>
END
  cat >"$nuget/_rels/.rels" <<'END'
<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/Rondo.nuspec" Id="R1" />
</Relationships>
END
  {
    echo '<?xml version="1.0" encoding="utf-8"?>'
    echo '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    echo '  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />'
    for extension in nuspec dll xml so md; do
      echo "  <Default Extension=\"$extension\" ContentType=\"application/octet\" />"
    done
    for licence in "$native"/LICENSE*; do
      echo "  <Override PartName=\"/$(basename "$licence")\" ContentType=\"application/octet\" />"
    done
    echo "</Types>"
  } >"$nuget/[Content_Types].xml"
  chmod -R u=rwX,go=rX "$nuget"
  find "$nuget" -exec touch -d "@${SOURCE_DATE_EPOCH:-1704067200}" {} +
  (cd "$nuget" && find . -type f | LC_ALL=C sort | TZ=UTC zip -q -X -D "../Rondo.$version.nupkg" -@)
  rm -r "$nuget" "$work/sources"
  echo "Rondo.$version.nupkg"
}
