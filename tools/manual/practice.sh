#!/bin/sh
# Lays out a folder in which the commands of the guides run, from the small models in tests/data:
#   sh tools/manual/practice.sh FOLDER [RONDO]      RONDO: the program; default: build/release/rondo
#
#   model.rondo  a language model with a chat template     llama/     the checkpoint that it is made of
#   my-lora/     an adapter for it                         embedder/  it, as one that makes vectors
#   vlm/         a checkpoint that sees                    reranker/  it, as one that scores pairs
#   picture.png  40 x 24 pixels                            book.txt   prose that it wrote
# The first two take a moment; embedder, reranker and picture.png need python3.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
test $# -ge 1 || {
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
folder=$1
rondo=${2:-$top/build/release/rondo}
export PYTHONDONTWRITEBYTECODE=1
mkdir -p "$folder"
rm -rf "$folder/llama" "$folder/my-lora" "$folder/vlm" "$folder/reranker"
cp -R "$top/tests/data/tiny" "$folder/llama"
mv "$folder/llama/conversation.jinja" "$folder/llama/chat_template.jinja"
cp -R "$top/tests/data/tiny_adapter" "$folder/my-lora"
cp -R "$top/tests/data/seeing" "$folder/vlm"
python3 "$top/c_api/bindings/tiny_embedders.py" "$top/tests/data/tiny" "$folder"
mv "$folder/scorer" "$folder/reranker"
python3 "$top/c_api/bindings/picture_files.py" "$folder"
find "$folder" -maxdepth 1 \( -name 'camera.*' -o -name 'picture.*' ! -name picture.png \) -exec rm {} +
"$rondo" convert "$folder/llama" -o "$folder/model.rondo" --weights q8
for seed in 1 2 3 4; do
  "$rondo" run "$folder/model.rondo" "Once upon a time" --temperature 0.8 --seed $seed --max-tokens 300
done >"$folder/book.txt" 2>/dev/null
