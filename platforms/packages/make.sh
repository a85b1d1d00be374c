#!/bin/sh
# Makes packages in build/packages. tests/c_api/packages_trial.sh tries those of bindings from outside.
#   make.sh PACKAGE...      of: python node rust go java csharp
# Each is a file beside this one, NAME.sh, with a function NAME_package. Those of bindings have a library
# inside that needs nothing of a system but its C library.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/platforms/packages/common.sh"

test $# -gt 0 || {
  sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
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
library
for package in "$@"; do
  # shellcheck source=/dev/null
  . "$packages/$package.sh"
  "${package}_package"
done
