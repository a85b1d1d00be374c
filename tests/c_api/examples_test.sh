#!/bin/sh
# Runs every program of c_api/examples on the tiny model and looks at what it prints.
#   examples_test.sh SOURCE_DIR TOOL NAME=PROGRAM...
set -eu
source=$1 tool=$2
. "$source/tests/support/skipped.sh"
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
model=$work/tiny.rondo
prompt="Today's weather is so"
seeing=$work/seeing.rondo
"$tool" convert "$source/tests/data/tiny" -o "$model" --weights q8 >/dev/null
"$tool" convert "$source/tests/data/seeing" -o "$seeing" --weights q8 >/dev/null

# A file with the model inside, at a multiple of 64, as zipalign puts assets.
head -c 4096 /dev/zero >"$work/package"
cat "$model" >>"$work/package"
echo behind >>"$work/package"
printf '%s' "{{ tools | tojson }}{% for message in messages %}<|{{ message.role }}|>\
{% for call in message.tool_calls or [] %}{{ call.function | tojson }}{% endfor %}\
{{ message.content }}{% endfor %}" >"$work/template.jinja"

# expect PATTERN PROGRAM ARGUMENT...: it ends well, and some line that it prints has the pattern.
expect() {
  pattern=$1 program=$2
  shift 2
  "$program" "$@" >"$work/out" || {
    cat "$work/out"
    echo "$program failed" >&2
    exit 1
  }
  grep -q -- "$pattern" "$work/out" || {
    cat "$work/out"
    echo "$program printed no line with $pattern" >&2
    exit 1
  }
}

# fails PROGRAM ARGUMENT...: of a prompt with more tokens than the program has room for it says so.
fails() {
  code=0
  "$@" >"$work/out" 2>"$work/err" || code=$?
  test $code -eq 1 && grep -q 'buffer' "$work/err" || {
    cat "$work/err"
    echo "$1 does not say what it failed with" >&2
    exit 1
  }
}
long=$(printf 'the cat %.0s' $(seq 300))

for pair in "$@"; do
  program=${pair#*=}
  case ${pair%%=*} in
    cancel) expect '^the long prompt: ' "$program" "$model" "$prompt" ;;
    chat_tools) expect '<|tool|>sunny, 21 degrees' "$program" "$model" "$work/template.jinja" ;;
    fork_prompt)
      expect '^8 tokens of prompts were evaluated' "$program" "$model" "$prompt" " warm" " nice"
      ;;
    generate) expect . "$program" "$model" "$prompt" ;;
    many_sessions) expect . "$program" "$model" "$prompt" "The cat" ;;
    open_fd) expect . "$program" "$work/package" 4096 "$(wc -c <"$model")" "$prompt" ;;
    own_pool) expect '^the pool did 0 times' "$program" "$model" "$prompt" ;;
    picture)
      command -v python3 >/dev/null || {
        skipped "no python3 here that writes a picture for the example picture"
        continue
      }
      python3 -B "$source/c_api/bindings/picture_files.py" "$work"
      expect . "$program" "$seeing" "$work/picture.ppm"
      "$tool" run "$seeing" "User:<image> What is in the picture?<end_of_utterance>
Assistant:" --image "$work/picture.png" --max-tokens 64 >"$work/answer" 2>/dev/null
      cmp "$work/out" "$work/answer" >&2
      ;;
    slide) expect '; those from 64 to [3-9][0-9]* are no longer seen' "$program" "$model" "$prompt" ;;
    snapshot) expect . "$program" "$model" "$work/snapshot" "$prompt" ;;
    static_arena) expect '^a context of [1-9][0-9]* in [0-9]* KB of 16384' "$program" "$model" "$prompt" ;;
    streaming) expect 'ended by the stop string' "$program" "$model" "$prompt" "." ;;
    *)
      echo "examples_test.sh does not know the example ${pair%%=*}" >&2
      exit 1
      ;;
  esac
  output=$(tail -n 1 "$work/out")
  case ${pair%%=*} in
    chat_tools | picture) ;; # its prompts are its own
    fork_prompt) fails "$program" "$model" "$prompt" "$long" ;;
    open_fd) fails "$program" "$work/package" 4096 "$(wc -c <"$model")" "$long" ;;
    snapshot) fails "$program" "$model" "$work/snapshot" "$long" ;;
    streaming) fails "$program" "$model" "$long" "." ;;
    *) fails "$program" "$model" "$long" ;;
  esac
  echo "${pair%%=*}: $output"
done
