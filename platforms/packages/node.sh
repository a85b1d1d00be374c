# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# With the library where lib/library.js looks for it: prebuilds/PLATFORM-CPU.
node_package() {
  fresh node
  cp -R "$bindings/node" "$work/package"
  mkdir -p "$work/package/prebuilds/linux-$cpu"
  cp "$native"/* "$work/package/prebuilds/linux-$cpu"
  npm pack --silent --pack-destination "$work" "$work/package"
}
