# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# A Swift package as SwiftPM takes it by address: the root of a git repository with a tag, as this repository's
# root has no Package.swift. On Apple's systems the library is a framework inside a zip, which SwiftPM fetches
# by its checksum; on Linux it is the system's.
#   RONDO_XCFRAMEWORK      CRondo.xcframework of platforms/apple/xcframework.sh, which needs a Mac; without it
#                          the package is for Linux alone
#   RONDO_XCFRAMEWORK_URL  where CRondo.xcframework.zip will lie
swift_package() {
  fresh swift
  package=$work/rondo-swift
  mkdir -p "$package/Sources"
  cp -R "$bindings/swift/Sources/Rondo" "$package/Sources"
  cp "$bindings/swift/README.md" "$root/LICENSE" "$package"
  linux='.systemLibrary(name: "CRondo", pkgConfig: "rondo")'
  if [ -n "${RONDO_XCFRAMEWORK:-}" ]; then
    archive=$work/CRondo.xcframework.zip
    cp -R "$RONDO_XCFRAMEWORK" "$work/CRondo.xcframework"
    settle "$work/CRondo.xcframework"
    (cd "$work" && find CRondo.xcframework -type f | LC_ALL=C sort | TZ=UTC zip -q -X -D "$archive" -@)
    rm -r "$work/CRondo.xcframework"
    checksum=$(sha256sum "$archive" | cut -d' ' -f1) # as `swift package compute-checksum`
    apple=".binaryTarget(name: \"CRondo\", url: \"${RONDO_XCFRAMEWORK_URL:?}\", checksum: \"$checksum\")"
  fi
  cp -R "$bindings/swift/Sources/CRondo" "$package/Sources"
  {
    echo '// swift-tools-version:5.9'
    echo 'import PackageDescription'
    echo
    if [ -n "${apple:-}" ]; then
      printf '#if os(Linux)\n  let library = Target%s\n#else\n  let library = Target%s\n#endif\n\n' "$linux" "$apple"
    else
      printf 'let library = Target%s\n\n' "$linux"
    fi
    cat <<'END'
let package = Package(
  name: "Rondo",
  platforms: [.iOS(.v15), .macOS(.v13)],
  products: [.library(name: "Rondo", targets: ["Rondo"])],
  targets: [library, .target(name: "Rondo", dependencies: ["CRondo"])],
  swiftLanguageVersions: [.version("6"), .v5])
END
  } >"$package/Package.swift"
  settle "$package"
  (
    cd "$package"
    export GIT_AUTHOR_NAME=Rondo GIT_AUTHOR_EMAIL=rondo@localhost GIT_COMMITTER_NAME=Rondo \
      GIT_COMMITTER_EMAIL=rondo@localhost GIT_AUTHOR_DATE="@${SOURCE_DATE_EPOCH:-1704067200} +0000" \
      GIT_COMMITTER_DATE="@${SOURCE_DATE_EPOCH:-1704067200} +0000" GIT_CONFIG_GLOBAL=/dev/null
    git init -q -b main
    git add .
    git commit -q -m "Rondo $version"
    git tag "$version"
  )
  echo "rondo-swift $version"
}

# settle FOLDER: the modes and times of its files are the same wherever it is made.
settle() {
  chmod -R u=rwX,go=rX "$1"
  find "$1" -exec touch -d "@${SOURCE_DATE_EPOCH:-1704067200}" {} +
}
