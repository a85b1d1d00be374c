#!/bin/sh
# Installs the Debian or Ubuntu packages that Rondo needs and that are not there yet.
#   sh tools/install_packages.sh build     to build the library, the tool and the tests
#   sh tools/install_packages.sh test      also what tests/run.sh needs: ccache, clang and its tools,
#                                          python3, pkgconf, the cross compilers, the emulator, a
#                                          browser and the bindings' languages, but Swift
#                                          (tests/swift.sh)
#   sh tools/install_packages.sh targets   to build for other systems, and what tests/targets.sh needs
#   sh tools/install_packages.sh browser   what tests/browser.sh needs
#   sh tools/install_packages.sh packages  what platforms/packages/make.sh needs beside these
# Does nothing where everything is there; uses sudo only when it must install and is not root.
set -eu

build="g++ cmake ninja-build flatbuffers-compiler libflatbuffers-dev libpcre2-dev libutf8proc-dev
  libxxhash-dev nlohmann-json3-dev libcli11-dev libedit-dev libcurl4-openssl-dev libssl-dev
  libjpeg-dev libpng-dev libwebp-dev libmicrohttpd-dev libgtest-dev libgmock-dev ca-certificates"
test="libcpp-httplib-dev ccache clang libclang-rt-dev clang-format clang-tidy python3 pkgconf
  g++-aarch64-linux-gnu qemu-user abigail-tools doxygen dpkg-dev file python3-numpy python3-pil
  python3-jsonschema python3-hypothesis python3-setuptools python3-wheel python3-build mypy
  gcc-mingw-w64-x86-64-win32 kotlin libkotlinx-coroutines-java libkotlinx-atomicfu-java chromium
  python3-sphinx python3-myst-parser python3-breathe furo curl"
# A language's tools may be there from elsewhere, with which Debian's would only be in the way.
command -v go >/dev/null || test="$test golang-go"
command -v cargo >/dev/null || test="$test cargo"
command -v javac >/dev/null || test="$test default-jdk-headless"
command -v node >/dev/null || test="$test nodejs"

# What tests/targets.sh builds with and runs on: cross compilers, emulators, Wine and node.
targets="g++-arm-linux-gnueabihf g++-riscv64-linux-gnu qemu-user g++-mingw-w64-x86-64-posix wine64
  clang-19 lld-19 llvm-19 wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32
  libclang-rt-19-dev-wasm32 nodejs gcc-arm-none-eabi libnewlib-arm-none-eabi
  libstdc++-arm-none-eabi-newlib qemu-system-arm"
# Node from elsewhere brings npm along.
command -v npm >/dev/null || targets="$targets npm" test="$test npm"
browser="clang-19 lld-19 llvm-19 wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32
  libclang-rt-19-dev-wasm32 nodejs python3 chromium"
packages="debhelper dh-python dpkg-dev lintian diffoscope-minimal openssh-client zip unzip bzip2 xz-utils
  make"

case ${1:-} in
  targets) wanted="$build $targets" ;;
  browser) wanted="$build $browser" ;;
  packages) wanted="$build $packages" ;;
  build) wanted=$build ;;
  test) wanted="$build $test" ;;
  *)
    echo "usage: sh tools/install_packages.sh build|test|targets|browser|packages" >&2
    exit 2
    ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "Packages: this is not Debian or Ubuntu, so nothing is installed; Rondo needs what these"
  echo "Debian packages hold:" $wanted
  exit 0
fi

missing=
for package in $wanted; do
  case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
    *" installed") ;;
    *) missing="$missing $package" ;;
  esac
done
if [ -z "$missing" ]; then
  echo "Packages: everything needed is installed."
  exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Packages: neither root nor sudo; have these installed first:$missing" >&2
    exit 1
  fi
  as_root=sudo
fi
echo "Packages: installing$missing"
# Quiet, but whole in the log when something fails.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086  # the list is split into words on purpose
if ! { $as_root apt-get update &&
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } \
  >"$log" 2>&1; then
  cat "$log" >&2
  echo "Packages: apt-get failed; its last lines are above" >&2
  exit 1
fi
