#!/bin/sh
# Installs packages that platforms/packages/make.sh made in fresh systems, as a new user would, and follows
# what their pages say: each in a root of its own that debootstrap makes. Needs root and a mirror.
#   roots_trial.sh SUITE TRIAL...          SUITE: bookworm, trixie
#     archive   rondo-VERSION-linux-CPU.tar.gz: a C program by pkg-config, shared and static, and by CMake
#     debian    the .deb files in RONDO_DEBS: their own tests (platforms/packages/debian/tests)
#     tool      the static program: converts, generates
#     python    the wheel: its example
#     node      the package and the platform's, by npm
#     go        the module, from a folder as a proxy, beside the archive's library
#     java      the jars, by a class path
#     rust      the crates, from a folder as an index: the library is compiled, which takes minutes
# RONDO_MODEL names a model of the tests (build/tiny.rondo). One line for each: minutes, and megabytes that
# it added to the root.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
made=$root/build/packages
version=$(cat "$root/VERSION")
model=$(realpath "${RONDO_MODEL:-$root/build/tiny.rondo}")
prompt="Today's weather is so"
suite=$1
shift
case $(uname -m) in
  aarch64) cpu=arm64 ;;
  *) cpu=x64 ;;
esac
# shellcheck disable=SC2016  # apt's own variable
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | grep -v security | sort -u | head -n 1)
base=${RONDO_ROOTS:-$root/build/roots}/$suite
if [ ! -e "$base/etc/debian_version" ]; then
  mkdir -p "$base"
  debootstrap --variant=minbase "$suite" "$base" "$mirror" >"$base.log" 2>&1 || {
    tail -n 5 "$base.log" >&2
    exit 1
  }
fi
work=$(mktemp -d)
# Java's installer wants /proc.
leave() {
  ! mountpoint -q "$work/root/proc" || umount "$work/root/proc"
  rm -rf "$work/root"
}
trap 'leave && rm -rf "$work"' EXIT

inside() { chroot "$work/root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C "$@"; }
packages() {
  inside apt-get -qq update
  inside env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >"$work/log" 2>&1 || {
    tail -n 10 "$work/log" >&2
    return 1
  }
}
same() { # NAME TEXT
  expected=${expected:-$2}
  [ -n "$2" ] && [ "$2" = "$expected" ] || { echo "$trial: $1 says: $2; expected: $expected" >&2 && exit 1; }
}

trial_archive() {
  packages gcc g++ pkgconf cmake make
  tar -xf "$made/archives/rondo-$version-linux-$cpu.tar.gz" -C "$work/root/opt"
  mv "$work/root/opt/rondo-$version-linux-$cpu" "$work/root/opt/rondo"
  cp "$root/c_api/examples/generate.c" "$work/root/home"
  for name in rondo rondo-static; do
    inside PKG_CONFIG_PATH=/opt/rondo/lib/pkgconfig sh -c \
      "cd /home && gcc -std=c99 generate.c -o $name \$(pkg-config --cflags --libs $name)"
    same "$name" "$(inside LD_LIBRARY_PATH=/opt/rondo/lib "/home/$name" /home/tiny.rondo "$prompt")"
  done
  mkdir "$work/root/home/cmake"
  cat >"$work/root/home/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(host C)
find_package(rondo REQUIRED)
add_executable(host ../generate.c)
target_link_libraries(host rondo::rondo)
END
  inside sh -c 'cd /home/cmake && cmake -DCMAKE_PREFIX_PATH=/opt/rondo -B build . >log && cmake --build build >>log'
  same CMake "$(inside /home/cmake/build/host /home/tiny.rondo "$prompt")"
}

trial_debian() {
  mkdir "$work/root/debs"
  cp "$RONDO_DEBS"/*.deb "$work/root/debs"
  rm -f "$work/root/debs/"*dbgsym*
  packages gcc g++ pkgconf
  inside apt-get -qq update
  inside sh -c 'DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends /debs/*.deb' \
    >"$work/log" 2>&1 || { tail -n 10 "$work/log" >&2 && return 1; }
  mkdir -p "$work/root/sources/tests/data" "$work/root/sources/c_api/bindings/python"
  cp -R "$root/tests/data/tiny" "$work/root/sources/tests/data"
  cp -R "$root/c_api/examples" "$work/root/sources/c_api"
  cp -R "$root/c_api/bindings/python/example" "$work/root/sources/c_api/bindings/python"
  cp -R "$root/platforms/packages/debian/tests" "$work/root/sources/trials"
  for name in tiny-model build python; do
    inside RONDO_SOURCES=/sources sh "/sources/trials/$name" >"$work/log" 2>&1 || {
      cat "$work/log" >&2
      return 1
    }
    same "$name" "$(tail -n 1 "$work/log")"
  done
}

trial_tool() {
  tar -xf "$made/tool/rondo-tool-$version-linux-$cpu.tar.gz" -C "$work/root/opt"
  program=/opt/rondo-tool-$version-linux-$cpu/bin/rondo
  cp -R "$root/tests/data/tiny" "$work/root/home"
  inside "$program" convert /home/tiny -o /home/own.rondo --weights q8 >/dev/null
  test -n "$(inside "$program" run /home/own.rondo "$prompt" --max-tokens 64)"
}

trial_python() {
  packages python3-venv
  cp "$made"/python/rondo-*.whl "$root/c_api/bindings/python/example/generate.py" "$work/root/home"
  inside sh -c 'python3 -m venv /home/venv && /home/venv/bin/pip install --quiet --no-index /home/rondo-*.whl'
  same python "$(inside /home/venv/bin/python /home/generate.py /home/tiny.rondo "$prompt")"
}

trial_node() {
  packages nodejs npm
  cp "$made"/node/*.tgz "$root/c_api/bindings/node/example/generate.mjs" "$work/root/home"
  inside sh -c 'cd /home && npm install --silent --offline --no-audit --no-fund ./*.tgz'
  same node "$(inside node /home/generate.mjs /home/tiny.rondo "$prompt")"
}

trial_go() {
  packages golang-go gcc libc6-dev pkgconf ca-certificates
  tar -xf "$made/archives/rondo-$version-linux-$cpu.tar.gz" -C "$work/root/opt"
  mv "$work/root/opt/rondo-$version-linux-$cpu" "$work/root/opt/rondo"
  cp -R "$made/go/proxy" "$work/root/home"
  zip=$(cd "$made/go/proxy" && find . -name '*.zip')
  module=$(echo "$zip" | sed 's,^\./,,; s,/@v/.*,,')
  mkdir "$work/root/home/host"
  sed "s,\"rondo\",rondo \"$module\"," "$root/c_api/bindings/go/example/main.go" >"$work/root/home/host/main.go"
  inside PKG_CONFIG_PATH=/opt/rondo/lib/pkgconfig GOFLAGS=-mod=mod GOPROXY=file:///home/proxy GONOSUMDB="$module" sh -c \
    "cd /home/host && go mod init host && go get $module@v$version && go build" >"$work/log" 2>&1 || {
    tail -n 10 "$work/log" >&2
    return 1
  }
  same go "$(inside LD_LIBRARY_PATH=/opt/rondo/lib /home/host/host /home/tiny.rondo "$prompt")"
}

trial_java() {
  packages default-jdk-headless
  cp "$made/java/repository/rondo/rondo/$version"/*.jar "$root/c_api/bindings/java/example/Generate.java" \
    "$work/root/home"
  same java "$(inside java -cp "/home/rondo-$version.jar:/home/rondo-$version-linux-$(uname -m).jar" \
    /home/Generate.java /home/tiny.rondo "$prompt")"
}

trial_rust() {
  packages cargo cmake make g++
  mkdir -p "$work/root/home/index" "$work/root/home/host/.cargo"
  for crate in "$made"/rust/*.crate; do
    tar -xf "$crate" -C "$work/root/home/index"
    echo '{"files": {}, "package": null}' >"$work/root/home/index/$(basename "$crate" .crate)/.cargo-checksum.json"
  done
  printf '[source.crates-io]\nreplace-with = "index"\n[source.index]\ndirectory = "/home/index"\n' \
    >"$work/root/home/host/.cargo/config.toml"
  printf '[package]\nname = "host"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\nrondo = { version = "%s", features = ["vendored"] }\n' \
    "$version" >"$work/root/home/host/Cargo.toml"
  mkdir "$work/root/home/host/src"
  cp "$root/c_api/bindings/rust/examples/generate.rs" "$work/root/home/host/src/main.rs"
  inside sh -c 'cd /home/host && cargo build --release --offline' >"$work/log" 2>&1 || {
    tail -n 10 "$work/log" >&2
    return 1
  }
  same rust "$(inside /home/host/target/release/host /home/tiny.rondo "$prompt")"
}

for trial in "$@"; do
  case $trial in
    archive | debian | tool | python | node | go | java | rust) ;;
    *) echo "roots_trial.sh: no trial '$trial'" >&2 && exit 2 ;;
  esac
  leave
  cp -a "$base" "$work/root"
  mount -t proc proc "$work/root/proc"
  cp "$model" "$work/root/home/tiny.rondo"
  before=$(du -smx "$work/root" | cut -f 1)
  begun=$(date +%s)
  "trial_$trial"
  echo "$suite $trial: $((($(date +%s) - begun) / 60)).$(((($(date +%s) - begun) % 60) / 6)) minutes," \
    "$(($(du -smx "$work/root" | cut -f 1) - before)) MB"
done
