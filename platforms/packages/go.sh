# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# A folder for GOPROXY=file://..., as `go get` asks a proxy. RONDO_GO_MODULE is the module's address.
go_package() {
  fresh go
  module=${RONDO_GO_MODULE:-rondo.example/c_api/bindings/go}
  copy=$work/zip/$module@v$version
  mkdir -p "$copy" "$work/proxy/$module/@v"
  cp -R "$bindings/go/." "$copy"
  cp "$root/LICENSE" "$copy"
  sed -i "s,^module rondo\$,module $module," "$copy/go.mod"
  sed -i "s,\"rondo\",rondo \"$module\"," "$copy/example/main.go"
  (cd "$work/zip" && zip -q -r -D "$work/proxy/$module/@v/v$version.zip" "$module@v$version")
  cp "$copy/go.mod" "$work/proxy/$module/@v/v$version.mod"
  echo "{\"Version\": \"v$version\"}" >"$work/proxy/$module/@v/v$version.info"
  echo "v$version" >"$work/proxy/$module/@v/list"
  rm -r "$work/zip"
  echo "$module v$version"
}
