#!/bin/sh
# Builds librondo.so and the archives of linux-x64 (linux-arm64 on such a machine) a second time, in a folder
# of another name and depth, with another umask, time zone, language and number of jobs and no compiler
# cache, and holds them to what make.sh made before. Says what differs, and fails.
#   reproduce.sh [PACKAGE...]      default: archives source sbom
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- archives source sbom
case $(uname -m) in
  aarch64) target=linux-arm64 ;;
  *) target=linux-x64 ;;
esac
RONDO_TARGETS=$target sh "$root/platforms/packages/make.sh" "$@"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy=$work/an/other/folder
mkdir -p "$work/an/other"
git clone --quiet --no-hardlinks "$root" "$copy"
(
  cd "$copy"
  unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER SOURCE_DATE_EPOCH
  umask 077
  export TZ=Pacific/Kiritimati LANG=C.UTF-8 LC_ALL=C.UTF-8 USER=somebody CCACHE_DISABLE=1 \
    CMAKE_BUILD_PARALLEL_LEVEL=1
  RONDO_TARGETS=$target sh platforms/packages/make.sh "$@"
)
failed=0
for package in "$@"; do
  for file in "$copy/build/packages/$package"/*; do
    [ -f "$file" ] || continue
    first=$root/build/packages/$package/$(basename "$file")
    if cmp -s "$file" "$first"; then
      echo "$(basename "$file"): the same bytes"
    else
      failed=1
      echo "$(basename "$file"): OTHER BYTES"
      ! command -v diffoscope >/dev/null || diffoscope "$first" "$file" || true
    fi
  done
done
exit $failed
