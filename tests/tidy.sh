#!/bin/sh
# clang-tidy over our sources that this machine compiles, with .clang-tidy at the top. Needs
# build/tidy configured: cmake --preset tidy
#   sh tests/tidy.sh [COUNT]     all; or those that differ from what was there four hours before the
#                                last commit, of what compilers read at once the COUNT that changed
#                                last: work lands in batches hours apart, and the dates are in every
#                                clone
# What was found clean and is the same as then is not looked at again: tests/tidy_file.py.
set -eu
cd "$(dirname "$0")/.."
folder=build/tidy
cmake --build "$folder" --target rondo_schema_headers rondo_hostile_calls
# clang knows neither this option of gcc's nor the warnings that it has for itself.
sed -i 's, -fno-gnu-unique,,;s, -fno-ipa-cp,,;s, --param=[^ ]*,,' "$folder/compile_commands.json"

# What a compiler reads at once: a file, or those of a folder that are compiled together.
sed -n 's,^ *"file": "\(.*\)"$,\1,p' "$folder/compile_commands.json" | while read -r unit; do
  case $unit in
    */Unity/*) sed -n "s,^#include \"\(.*\)\"$,\1 $unit,p" "$unit" ;;
    *) echo "$unit $unit" ;;
  esac
done >"$folder/units"

# From the lines of names: our sources by what they are read in; for a header that of the source
# beside it, or of one in its folder.
sources() {
  awk -v top="$PWD/" '
    function folder(name) { sub("/[^/]*$", "", name); return name }
    NR == FNR { unit[$1] = $2; any[folder($1)] = $2; next }
    {
      source = name = top $0
      is_header = sub(/\.h$/, ".cc", source)
      read_in = source in unit ? unit[source] : is_header ? any[folder(name)] : ""
      if (read_in != "" && !seen[read_in]++) print read_in
    }' "$folder/units" -
}
if [ $# -eq 0 ]; then
  git ls-files | sources >"$folder/files"
  echo "clang-tidy: all files, as compilers read them: $(wc -l <"$folder/files")"
else # where the history divides, each commit that the last four hours began at
  since=$(($(git log -1 --format=%ct) - 4 * 3600))
  bases=$(git rev-list --abbrev-commit --boundary --since=$since HEAD | sed -n 's/^-//p')
  untracked() { git ls-files -o --exclude-standard; }
  {
    untracked
    for base in ${bases:-$(git hash-object -t tree /dev/null)}; do # nothing older: all differs
      git diff --name-only "$base"
    done
  } | sort -u >"$folder/differ"
  # The last changed come first.
  {
    untracked && git diff --name-only HEAD && git log --format= --name-only && cat "$folder/differ"
  } |
    awk 'NR == FNR { differs[$0]; next } $0 in differs' "$folder/differ" - | sources >"$folder/all"
  head -n "$1" "$folder/all" >"$folder/files"
  looked=$(wc -l <"$folder/files") all=$(wc -l <"$folder/all")
  # shellcheck disable=SC2086  # words
  echo "clang-tidy: of the files that differ from" ${bases:-nothing}", as compilers read them," \
    "the $looked of $all that changed last; $((all - looked)) left out"
fi
xargs -r -P "$(nproc)" -n 1 python3 tests/tidy_file.py "$folder" <"$folder/files"
