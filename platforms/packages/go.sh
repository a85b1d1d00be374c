# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# The module's address for `go get`: where the repository is, and the folder in it. go.mod says "rondo" as
# long as the repository has no address: the module is then known by RONDO_GO_MODULE, or by this stand-in.
go_stand_in=rondo.example/c_api/bindings/go

# go_address FOLDER MODULE: the module in FOLDER, and the programs in it, know themselves by this address.
go_address() {
  sed -i "s,^module .*,module $2," "$1/go.mod"
  find "$1/example" "$1/testdata" -name '*.go' -exec \
    sed -E -i "s#^(import |\t)(rondo )?\"[^\"]*rondo[^\"]*\"\$#\1rondo \"$2\"#" {} +
}

# A folder for GOPROXY=file://..., as `go get` asks a proxy; the same bytes whenever it is made.
go_package() {
  fresh go
  module=$(sed -n 's/^module //p' "$bindings/go/go.mod")
  test "$module" != rondo || module=${RONDO_GO_MODULE:-$go_stand_in}
  copy=$work/zip/$module@v$version
  mkdir -p "$copy" "$work/proxy/$module/@v"
  cp -R "$bindings/go/." "$copy"
  cp "$root/LICENSE" "$copy"
  go_address "$copy" "$module"
  chmod -R u=rwX,go=rX "$work/zip"
  find "$work/zip" -exec touch -d "@${SOURCE_DATE_EPOCH:-315532800}" {} + # 1980: zip has none before
  (cd "$work/zip" && find . -type f | LC_ALL=C sort | sed 's,^\./,,' |
    TZ=UTC zip -q -X -D -@ "$work/proxy/$module/@v/v$version.zip")
  cp "$copy/go.mod" "$work/proxy/$module/@v/v$version.mod"
  echo "{\"Version\": \"v$version\"}" >"$work/proxy/$module/@v/v$version.info"
  echo "v$version" >"$work/proxy/$module/@v/list"
  rm -r "$work/zip"
  echo "$module v$version"
}
