# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# With the sources that the feature `vendored` builds.
rust_package() {
  fresh rust
  cp -R "$bindings/rust" "$work/rondo"
  sources "$work/rondo/source"
  (cd "$work/rondo" && cargo package --quiet --allow-dirty --no-verify --offline --target-dir "$work/target")
  mv "$work/target/package/rondo-$version.crate" "$work"
  rm -r "$work/target"
  echo "rondo-$version.crate"
}
