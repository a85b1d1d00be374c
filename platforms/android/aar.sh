#!/bin/sh
# build/android/rondo.aar: the library and its JNI glue for 64-bit Android, the bindings for Java and Kotlin, and
# the C header and library for native code (prefab). Gradle: implementation(files("rondo.aar")), with
# kotlinx-coroutines-android.
#   ANDROID_NDK_HOME=... sh platforms/android/aar.sh [ABI...]     default: arm64-v8a x86_64
# Needs an NDK (r27 or later: pages of 16 KB), javac, kotlinc, jar, zip, CMake, flatc and a jar of
# kotlinx.coroutines (COROUTINES, by default Debian's). With ANDROID_JAR, a platform's android.jar, it has
# bindings/kotlin/android, too: assets, bitmaps and camera frames.
set -eu
cd "$(dirname "$0")/../.."
ndk=${ANDROID_NDK_HOME:-${ANDROID_NDK_ROOT:-}}
[ -f "$ndk/build/cmake/android.toolchain.cmake" ] || {
  echo "aar.sh: ANDROID_NDK_HOME names no NDK: there is no '$ndk/build/cmake/android.toolchain.cmake'" >&2
  exit 1
}
for tool in cmake flatc javac kotlinc jar zip; do
  command -v $tool >/dev/null || { echo "aar.sh: $tool is needed" >&2; exit 1; }
done
work=$PWD/build/android
aar=$work/aar
version=$(cat VERSION)
minimum=28 # java.lang.ref.Reference.reachabilityFence
rm -rf "$aar" "$work/classes"
mkdir -p "$aar/prefab/modules/rondo/include/rondo"

sh platforms/android/classes.sh "$work/classes"
jar --create --file "$aar/classes.jar" -C "$work/classes" .
cp platforms/android/rules.pro "$aar/proguard.txt"

cat >"$aar/AndroidManifest.xml" <<XML
<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="rondo">
  <uses-sdk android:minSdkVersion="$minimum"/>
</manifest>
XML
: >"$aar/R.txt"
cp LICENSE "$aar/LICENSE"
cp include/rondo/rondo.h include/rondo/rondo.hpp "$aar/prefab/modules/rondo/include/rondo/"
echo "{\"schema_version\": 2, \"name\": \"rondo\", \"version\": \"$version\", \"dependencies\": []}" \
  >"$aar/prefab/prefab.json"
echo '{"export_libraries": [], "android": {}}' >"$aar/prefab/modules/rondo/module.json"

test $# -gt 0 || set -- arm64-v8a x86_64
for abi in "$@"; do
  cmake -S . -B "$work/$abi" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$ndk/build/cmake/android.toolchain.cmake" \
    -DANDROID_ABI="$abi" -DANDROID_PLATFORM="android-$minimum" -DANDROID_STL=c++_static \
    -DCMAKE_BUILD_TYPE=Release -DRONDO_BUNDLED=ON -DRONDO_DOWNLOAD=ON -DRONDO_TOOLS=OFF \
    -DRONDO_TESTS=OFF -DRONDO_INSTALL=OFF -DRONDO_JNI=ON
  cmake --build "$work/$abi" --target rondo rondo_jni
  mkdir -p "$aar/jni/$abi" "$aar/prefab/modules/rondo/libs/android.$abi"
  cp "$work/$abi/librondo.so" "$work/$abi/librondo_jni.so" "$aar/jni/$abi/"
  cp "$work/$abi/librondo.so" "$aar/prefab/modules/rondo/libs/android.$abi/"
  echo "{\"abi\": \"$abi\", \"api\": $minimum, \"ndk\": 27, \"stl\": \"none\", \"static\": false}" \
    >"$aar/prefab/modules/rondo/libs/android.$abi/abi.json"
done
rm -f "$work/rondo.aar"
(cd "$aar" && zip -qr "$work/rondo.aar" .)
echo "aar.sh: $work/rondo.aar"
