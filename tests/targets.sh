#!/bin/sh
# Builds the libraries for other systems, and holds what they say to this machine's: the greedy text
# of the model in tests/data and a hash of all logits' bits, by the portable kernels.
#   sh tests/targets.sh                 all targets
#   sh tests/targets.sh windows-x64 ... these presets
# Installs what a target needs first (tools/install_packages.sh targets). RONDO_TOOL names a program
# rondo of this machine; by default the release build's is built. One line for each target; the exit
# code is 0 only where each one's bits are the same, or it is built and nothing here can run it.
set -u
cd "$(dirname "$0")/.."
targets=${*:-linux-armhf linux-riscv64 linux-musl-arm64 linux-musl-x64 windows-x64 windows-arm64
  macos-arm64 macos-x64 ios-arm64 wasm32 none-cortex-m55}
sh tools/install_packages.sh targets || exit 1
work=$PWD/build/targets
mkdir -p "$work"
kernels=scalar

# The program and the library that it links statically, for a compiler of this machine.
native() {
  cmake --preset library -DRONDO_BITS=ON >"$work/native.log" 2>&1 &&
    cmake --build --preset library --target rondo_bits >>"$work/native.log" 2>&1 &&
    "build/library/rondo_bits" "$work/tiny.rondo" $kernels >"$work/native.txt"
}

one() {
  target=$1
  begun=$(date +%s)
  bits=ON
  [ "$target" != ios-arm64 ] || bits=OFF # whose programs nothing here links
  if ! cmake --preset "$target" -DRONDO_BITS=$bits -DRONDO_FIRMWARE_MODEL="$work/tiny.rondo" \
    >"$work/$target.log" 2>&1 || ! cmake --build "build/$target" >>"$work/$target.log" 2>&1; then
    echo "$target: NOT BUILT, see $work/$target.log"
    return 1
  fi
  sizes=$(find "build/$target" -maxdepth 2 \( -name 'librondo.so.?.?.?' -o -name 'librondo.*.dylib' \
    -o -name 'librondo.dll' -o -name 'rondo_bits.wasm' -o -name 'librondo.a' \) -type f \
    -printf '%f %s bytes, ')
  case $target in
    windows-arm64 | macos-* | ios-*)
      echo "$target: built, not run; $sizes$(($(date +%s) - begun)) s"
      return
      ;;
  esac
  sh "build/$target/rondo_bits.sh" "$work/tiny.rondo" $kernels 2>"$work/$target.err" |
    tr -d '\r' >"$work/$target.all"
  grep -v '^arena ' "$work/$target.all" >"$work/$target.txt"
  if ! cmp -s "$work/native.txt" "$work/$target.txt"; then
    echo "$target: OTHER BITS, see $work/$target.txt"
    return 1
  fi
  echo "$target: the same bits; $sizes$(grep '^arena ' "$work/$target.all")" \
    "$(($(date +%s) - begun)) s"
}

tool=${RONDO_TOOL:-build/release/rondo}
if [ ! -x "$tool" ]; then
  cmake --preset release >"$work/tool.log" 2>&1 &&
    cmake --build --preset release --target rondo_tool >>"$work/tool.log" 2>&1 || exit 1
fi
"$tool" convert tests/data/tiny -o "$work/tiny.rondo" --weights q8 --force >"$work/tool.log" &&
  native || { echo "this machine: FAILED, see $work"; exit 1; }
failed=0
for target in $targets; do one "$target" || failed=1; done
exit $failed
