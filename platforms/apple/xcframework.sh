#!/bin/sh
# On a Mac: Rondo.xcframework for iOS, its simulator and macOS, and the Swift package around it, in
# build/apple/Rondo. Xcode takes that folder by File > Add Package Dependencies > Add Local.
#   sh platforms/apple/xcframework.sh
# Needs Xcode, CMake and flatc (brew install cmake flatbuffers); all else is fetched by commit.
set -eu
cd "$(dirname "$0")/../.."
for tool in xcodebuild cmake flatc lipo; do
  command -v $tool >/dev/null || {
    echo "xcframework.sh: $tool is needed, on a Mac with Xcode, CMake and flatbuffers" >&2
    exit 1
  }
done
work=$PWD/build/apple
package=$work/Rondo
rm -rf "$package"
mkdir -p "$package/Sources" "$work/headers/rondo"
cp include/rondo/rondo.h "$work/headers/rondo/"
printf 'module CRondo {\n  header "rondo/rondo.h"\n  link "c++"\n  export *\n}\n' \
  >"$work/headers/module.modulemap"

# archive NAME SYSTEM SDK MINIMUM ARCHITECTURE: build/apple/NAME-ARCHITECTURE/archive/librondo.a
archive() {
  cmake -S . -B "$work/$1-$5" -DCMAKE_SYSTEM_NAME="$2" -DCMAKE_SYSTEM_PROCESSOR="$5" \
    -DCMAKE_OSX_SYSROOT="$3" -DCMAKE_OSX_DEPLOYMENT_TARGET="$4" -DCMAKE_OSX_ARCHITECTURES="$5" \
    -DCMAKE_BUILD_TYPE=Release -DRONDO_DOWNLOAD=ON -DRONDO_BUNDLED=ON -DRONDO_SHARED=OFF \
    -DRONDO_TOOLS=OFF -DRONDO_TESTS=OFF
  cmake --build "$work/$1-$5" --target rondo_archive --parallel
}

# both NAME SYSTEM SDK MINIMUM: one archive for Apple's and Intel's CPUs.
both() {
  archive "$@" arm64
  archive "$@" x86_64
  mkdir -p "$work/$1"
  lipo -create "$work/$1-arm64/archive/librondo.a" "$work/$1-x86_64/archive/librondo.a" \
    -output "$work/$1/librondo.a"
}

archive ios iOS iphoneos 15.0 arm64
both simulator iOS iphonesimulator 15.0
both macos Darwin macosx 13.3
xcodebuild -create-xcframework \
  -library "$work/ios-arm64/archive/librondo.a" -headers "$work/headers" \
  -library "$work/simulator/librondo.a" -headers "$work/headers" \
  -library "$work/macos/librondo.a" -headers "$work/headers" \
  -output "$package/CRondo.xcframework"
cp -R c_api/bindings/swift/Sources/Rondo "$package/Sources/"
cp platforms/apple/Package.swift "$package/"
echo "xcframework.sh: $package"
