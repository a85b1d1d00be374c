#!/bin/sh
# Fetches an emulator that multiplies by SME as Arm says: qemu 7.2 does not, 10 does. Where the
# system's is older, that of the system's own mirror's backports is unpacked, and nothing installed;
# where there is none either, what needs it is not run. The packages' state is not touched, as in
# debian_sysroot.sh.
#   sh platforms/cmake/debian_qemu.sh [DIR]        (default build/qemu)
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${1:-$root/build/qemu}
case $target in /*) ;; *) target=$PWD/$target ;; esac # apt takes others from the root
least=10

has_least() {
  version=$("$1" --version 2>/dev/null | sed -n 's/^.* version \([0-9]*\).*/\1/p')
  [ "${version:-0}" -ge "$least" ]
}
for qemu in qemu-aarch64 "$target/usr/bin/qemu-aarch64"; do
  if has_least "$qemu"; then
    echo "qemu $least or newer: $qemu"
    exit 0
  fi
done
if [ ! -r /etc/os-release ]; then
  echo "qemu $least or newer: none to be had, SME is not run"
  exit 0
fi
# shellcheck disable=SC1091  # the system's
codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
# shellcheck disable=SC2016  # apt's own variables
mirror=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(SITE)' 'Created-By: Packages' |
  sed -n "s/^$codename main //p" | head -n 1)
mkdir -p "$(dirname "$target")"
work=$(mktemp -d "$target.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/sources" "$work/root"
: >"$work/status"
echo "deb $mirror $codename-backports main" >"$work/sources/backports.list"
private_apt() {
  apt-get -qq -o Dir::State="$work/state" -o Dir::State::status="$work/status" \
    -o Dir::Cache="$work/cache" -o Dir::Etc::sourcelist=/dev/null \
    -o Dir::Etc::sourceparts="$work/sources" -o APT::Sandbox::User= \
    -o Acquire::Languages=none "$@"
}
if private_apt update && (cd "$work" && private_apt download qemu-user) &&
  dpkg -x "$work"/*.deb "$work/root" && has_least "$work/root/usr/bin/qemu-aarch64"; then
  mkdir -p "$target/usr/bin"
  mv "$work/root/usr/bin/qemu-aarch64" "$target/usr/bin/"
  echo "qemu $least or newer: in $target"
else
  echo "qemu $least or newer: none to be had, SME is not run"
fi
