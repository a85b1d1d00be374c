# shellcheck shell=sh disable=SC2016,SC2154,SC2164  # make.sh reads this, behind common.sh

# What npm may install beside rondo, by the names of lib/addon.cjs: os, cpu, libc.
node_platforms="linux-x64-gnu linux-x64-musl linux-arm64-gnu linux-arm64-musl darwin-arm64 darwin-x64 win32-x64"

# node_manifest NAME: the package.json of that platform's package.
node_manifest() {
  node -e '
    const [, name, version] = process.argv;
    const [os, cpu, libc] = name.split("-");
    const libcs = {gnu: ["glibc"], musl: ["musl"]}[libc];
    console.log(JSON.stringify({name: `@rondo/${name}`, version, license: "MIT", os: [os], cpu: [cpu],
      ...(libcs && {libc: libcs}), description: `Rondo for Node on ${name}: the addon and the library`,
      preferUnplugged: true}, null, 2));' "$1" "$version"
}

# node_platform NAME ADDON LIBRARY: the package of a platform, out of these two files.
node_platform() {
  mkdir -p "$work/$1"
  node_manifest "$1" >"$work/$1/package.json"
  cp "$2" "$work/$1/rondo.node"
  cp "$3" "$work/$1"
  cp "$native"/LICENSE* "$work/$1"
  npm pack --silent --pack-destination "$work" "$work/$1"
}

# The package rondo is JavaScript alone: npm brings the one of the platform that it is installed on.
node_main() {
  mkdir -p "$work/package"
  cp -R "$bindings/node/lib" "$bindings/node/README.md" "$root/LICENSE" "$work/package"
  node -e '
    const [, manifest, version, names] = process.argv;
    const {scripts, ...described} = require(manifest);
    const platforms = names.split(" ").map((name) => [`@rondo/${name}`, version]);
    console.log(JSON.stringify({...described, optionalDependencies: Object.fromEntries(platforms)}, null, 2));' \
    "$bindings/node/package.json" "$version" "$node_platforms" >"$work/package/package.json"
  npm pack --silent --pack-destination "$work" "$work/package"
}

node_package() {
  fresh node
  libc=$(node -p 'process.report.getReport().header.glibcVersionRuntime ? "gnu" : "musl"')
  cp -R "$bindings/node" "$work/build"
  sh "$work/build/build.sh" "$root/include" ${RONDO_NODE_HEADERS:+"$RONDO_NODE_HEADERS"}
  strip --strip-unneeded "$work/build/build/rondo.node"
  node_platform "linux-$cpu-$libc" "$work/build/build/rondo.node" "$native/librondo.so"
  node_main
}
