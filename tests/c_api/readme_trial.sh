#!/bin/sh
# Follows the READMEs of bindings word for word, as a new user would: on a fresh Debian 12 that has
# git and nothing else, in a clone of what is committed here. Prints the minutes that it took and the
# text that came, which must be that of `rondo run`. As root, with debootstrap.
#   readme_trial.sh FOLDER BINDING...     FOLDER: where the Debians are made; 4 GB
# All READMEs begin with tools/quickstart.sh, which builds Rondo. That is done and timed once, in
# FOLDER/base, which stays for later calls. Each trial has a copy of it, where the whole README runs:
# quickstart.sh, too, which finds that all is done, or builds what was committed since.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
test $# -ge 2 || {
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
base=$folder/base

# inside ROOT COMMAND...: runs a command in the clone in a Debian. Its mounts and processes end with
# it; of this system's environment nothing gets there.
inside() {
  root=$1
  shift
  ca=
  test ! -d "$root/usr/local/share/ca-certificates/network" || ca=/etc/ssl/certs/ca-certificates.crt
  unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" \
    env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ${ca:+NODE_EXTRA_CA_CERTS=$ca} sh -c 'cd /root/rondo && exec "$@"' sh "$@" </dev/null
}

# Since a second that `date +%s` told.
minutes_since() { awk "BEGIN { printf \"%.1f\", ($(date +%s) - $1) / 60 }"; }

if [ ! -f "$base/quickstart.minutes" ]; then
  rm -rf "$base"
  echo "making a fresh Debian 12"
  debootstrap --variant=minbase --include=git bookworm "$base" >"$folder/debootstrap.log" 2>&1 || {
    tail "$folder/debootstrap.log" >&2
    exit 1
  }
  cp /etc/resolv.conf "$base/etc/resolv.conf"
  # Where the network has a certificate authority of its own, each of its machines must know it.
  if ls /usr/local/share/ca-certificates/*.crt >/dev/null 2>&1; then
    mkdir -p "$base/usr/local/share/ca-certificates/network"
    cp /usr/local/share/ca-certificates/*.crt "$base/usr/local/share/ca-certificates/network"
  fi
  git clone --quiet --no-hardlinks "$source" "$base/root/rondo"
  begin=$(date +%s)
  inside "$base" sh tools/quickstart.sh >"$base/quickstart.log" 2>&1 || {
    tail -n 30 "$base/quickstart.log" >&2
    exit 1
  }
  minutes_since "$begin" >"$base/quickstart.minutes"
fi
expected=$(grep . "$base/quickstart.log" | tail -n 1)
echo "quickstart.sh: $(cat "$base/quickstart.minutes") minutes:$expected"

failed=
for binding in "$@"; do
  root=$folder/$binding
  rm -rf "$root"
  cp -a --reflink=auto "$base" "$root"
  # Refreshed, as a copy's files look changed, and all would be written and built again.
  git -C "$root/root/rondo" update-index -q --refresh
  git -C "$root/root/rondo" fetch --quiet "$source" HEAD
  git -C "$root/root/rondo" reset --quiet --hard FETCH_HEAD
  # The block of commands that begins with quickstart.sh, as it stands.
  awk '/^    sh tools\/quickstart.sh$/ { seen = 1 } seen && !/^    / { exit } seen { print substr($0, 5) }' \
    "$root/root/rondo/c_api/bindings/$binding/README.md" >"$root/root/steps"
  begin=$(date +%s)
  status=0
  inside "$root" sh -eux /root/steps >"$folder/$binding.log" 2>&1 || status=$?
  took=$(minutes_since "$begin")
  # What came behind the last command that the shell traced.
  text=$(awk '/^\+ / { text = ""; next } { text = text $0 "\n" } END { printf "%s", text }' \
    "$folder/$binding.log")
  case $status$text in
    0*"$expected"*) echo "$binding: $took minutes more:$expected" ;;
    *)
      failed="$failed $binding"
      tail -n 30 "$folder/$binding.log" >&2
      echo "$binding: failed with $status after $took minutes; expected:$expected" ;;
  esac
  rm -rf "$root"
done
test -z "$failed"
