#!/bin/sh
# A release's tag is VERSION's, its manifests are, too, and CHANGELOG.md tells of it.
#   tag.sh TAG
set -eu
cd "$(dirname "$0")/../.."
version=$(cat VERSION)
[ "$1" = "v$version" ] || { echo "tag.sh: the tag is $1, but VERSION is $version" >&2 && exit 1; }
python3 platforms/packages/version.py --check
grep -q "^## \[$version\] - [0-9]\{4\}-[0-9][0-9]-[0-9][0-9]$" CHANGELOG.md || {
  echo "tag.sh: CHANGELOG.md has no section \"## [$version] - YEAR-MONTH-DAY\"" >&2
  exit 1
}
echo "$1"
