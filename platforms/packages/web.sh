# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# The browser's package, as CMake makes it (c_api/bindings/web): needs what install_packages.sh targets brings.
web_package() {
  fresh web
  cmake --preset wasm32 -S "$root" -B "$out/wasm32" >"$out/wasm32.log"
  cmake --build "$out/wasm32" >>"$out/wasm32.log"
  cp "$root/LICENSE" "$out/wasm32/web"
  npm pack --silent --pack-destination "$work" "$out/wasm32/web"
}
