#!/bin/sh
# Fills a folder with the arm64 libraries that the cross build needs, from this system's own
# package mirror. The system's package state is not touched: apt works on a private copy, and the
# packages are only unpacked.
#   sh platforms/cmake/debian_sysroot.sh [DIR]        (default build/sysroot-arm64)
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${1:-$root/build/sysroot-arm64}
packages="libpcre2-dev libpcre2-8-0 libutf8proc-dev libutf8proc2 libxxhash-dev libflatbuffers-dev
  nlohmann-json3-dev libcli11-dev libgtest-dev libgmock-dev"

if [ -e "$target/.complete" ]; then
  echo "arm64 libraries: already in $target"
  exit 0
fi
mkdir -p "$(dirname "$target")"
work=$(mktemp -d "$target.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/debs" "$work/root"
: >"$work/status"
private_apt() {
  apt-get -qq -o Dir::State="$work/state" -o Dir::State::status="$work/status" \
    -o Dir::Cache="$work/cache" -o APT::Architecture=arm64 -o APT::Architectures::=arm64 \
    -o APT::Sandbox::User= -o Acquire::Languages=none "$@"
}
echo "arm64 libraries: downloading to $target"
private_apt update
# shellcheck disable=SC2086  # the list is split into words on purpose
(cd "$work/debs" && private_apt download $packages)
for deb in "$work"/debs/*.deb; do
  dpkg -x "$deb" "$work/root"
done
: >"$work/root/.complete"
rm -rf "$target"
mv "$work/root" "$target"
