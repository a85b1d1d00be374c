#!/bin/sh
# clang-tidy over our sources that this machine compiles, with .clang-tidy at the top. Needs
# build/tidy configured: cmake --preset tidy
#   sh tests/tidy.sh [COUNT]     all; or the COUNT that were changed last, by the work tree and then
#                                by the history: that holds a branch's changes, and its time is
#                                bounded whatever was committed
# What was found clean and is the same as then is not looked at again: tests/tidy_file.py.
set -eu
cd "$(dirname "$0")/.."
folder=build/tidy
cmake --build "$folder" --target rondo_schema_headers rondo_hostile_calls
# clang knows neither this option of gcc's nor the warnings that it has for itself.
sed -i 's/ -fno-gnu-unique//' "$folder/compile_commands.json"

if [ $# -eq 0 ]; then
  git ls-files
else # a header stands for the source beside it
  { git diff --name-only HEAD && git log --format= --name-only; } | sed 's/\.h$/.cc/' |
    awk '/\.cc$/ && !seen[$0]++'
fi | while read -r file; do
  if [ -e "$file" ] && grep -qF "/$file\"" "$folder/compile_commands.json"; then echo "$file"; fi
done | head -n "${1:-100000}" >"$folder/files"
echo "clang-tidy: $(wc -l <"$folder/files") files"
xargs -P "$(nproc)" -n 1 python3 tests/tidy_file.py "$folder" <"$folder/files"
