#!/bin/sh
# Makes the site of the manual, OUT/index.html: static files, searched in the browser, that ask nothing of
# elsewhere. Whatever a page says wrongly (a link, a heading) is an error.
#   sh tools/manual/site/make.sh [OUT]      default: build/site
# Needs Sphinx with MyST, Breathe and Furo, and Doxygen; Debian's are python3-sphinx, python3-myst-parser,
# python3-breathe, furo, doxygen. 77 where they are not there, but 1 with RONDO_NO_SKIP.
set -eu
top=$(cd "$(dirname "$0")/../../.." && pwd)
. "$top/tests/support/skipped.sh"
for tool in sphinx-build doxygen; do
  command -v $tool >/dev/null || {
    skipped "no $tool here (Debian: python3-sphinx python3-myst-parser python3-breathe furo doxygen)"
    exit 77
  }
done
python=$(sed -n '1s/^#! *//p' "$(command -v sphinx-build)") # that one's modules
$python -c 'import breathe, furo, myst_parser' 2>/dev/null || {
  skipped "sphinx-build has no myst_parser, breathe or furo here"
  exit 77
}
out=${1:-$top/build/site}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
RONDO_VERSION=$(cat "$top/VERSION")
RONDO_REFERENCE=$work/reference
export RONDO_VERSION RONDO_REFERENCE PYTHONDONTWRITEBYTECODE=1
RONDO_REFERENCE_XML=YES sh "$top/c_api/reference/make.sh" "$top" "$RONDO_REFERENCE" >/dev/null
$python "$top/tools/manual/site/stage.py" "$top" "$work/pages"
rm -rf "$out"
sphinx-build -q -W --keep-going -b html -d "$work/doctrees" "$work/pages" "$out"
# Debian's Furo asks the server for a style sheet, which site.css stands for.
sed -i 's#@import url([^)]*normalize.css);\{0,1\}##' "$out/_static/styles/furo.css"
# Its script imports another, as only modules may: both become one, where the other's name is global.
scripts=$out/_static/scripts
if [ -f "$scripts/gumshoe-patched.js" ]; then
  sed '/^import Gumshoe from/d' "$scripts/furo.js" >>"$scripts/gumshoe-patched.js"
  mv "$scripts/gumshoe-patched.js" "$scripts/furo.js"
fi
# Files cannot be fetched from a disk: what is found is listed there without the words around it.
sed -i 's/else if (showSearchSummary)/else if (showSearchSummary \&\& location.protocol !== "file:")/' \
  "$out/_static/searchtools.js"
rm -rf "$out/.doctrees" "$out/.buildinfo" "$out/objects.inv"
echo "$out/index.html"
