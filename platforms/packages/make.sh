#!/bin/sh
# Makes packages in build/packages, of the version that /VERSION says.
#   make.sh PACKAGE...
# Of bindings, each with a library inside that needs nothing of a system but its C library
# (tests/c_api/packages_trial.sh tries them from outside):
#   python node rust go java csharp
# Of other bindings, which are not among a release's files yet:
#   web       the browser's package; needs what tools/install_packages.sh targets brings
#   swift     a Swift package as a git repository; for Linux alone, unless RONDO_XCFRAMEWORK names a framework
# Of the rest:
#   source    the sources as one archive
#   archives  header, libraries, pkg-config and CMake files for each target; RONDO_TARGETS names some
#   tool      the program as one static file for linux-x64, linux-arm64 and windows-x64; RONDO_TARGETS names some
#   debian    a Debian source package
#   sbom      what is inside, as SPDX and CycloneDX say it
#   oci       an image with the static program for `rondo serve`; needs tool
#   recipes   for vcpkg, Conan, Homebrew, winget and Nix; needs source
#   sums      all that was made in one folder, release, with SHA256SUMS and its signature
# Each is a file beside this one, NAME.sh, with a function NAME_package.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/platforms/packages/common.sh"

test $# -gt 0 || {
  sed -n '2,/^# Each/p' "$0" | sed 's/^# \{0,1\}//' >&2
  exit 2
}
for package in "$@"; do
  case $package in
    common | make | *[!a-z_]*) ;;
    *) test ! -f "$packages/$package.sh" || continue ;;
  esac
  echo "make.sh: no package '$package'" >&2
  exit 2
done
mkdir -p "$out"
for package in "$@"; do
  # shellcheck source=/dev/null
  . "$packages/$package.sh"
  case $package in
    source | archives | tool | debian | sbom | oci | recipes | sums) ;;
    *) library ;;
  esac
  "${package}_package"
done
