#!/bin/sh
# A draft of a release with all files of build/packages/release and the newest part of CHANGELOG.md; the
# owner looks at it and publishes. Needs gh and GH_TOKEN. RONDO_DRY=1 says what would be done.
#   publish.sh TAG
set -eu
cd "$(dirname "$0")/../.."
notes=$(mktemp)
trap 'rm -f "$notes"' EXIT
awk -v head="## [$(cat VERSION)]" 'index($0, head) == 1 {on = 1; next} /^## / {on = 0} on' CHANGELOG.md >"$notes"
[ -s "$notes" ] || { echo "publish.sh: CHANGELOG.md says nothing of $(cat VERSION)" >&2 && exit 1; }
${RONDO_DRY:+echo} gh release create "$1" --draft --title "Rondo $(cat VERSION)" --notes-file "$notes" \
  build/packages/release/*
