# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# An OCI image for `rondo serve`, of the static programs that `tool` made: the program, its licences and a
# user. It has no shell and runs as nobody; a model is mounted at /models/model.rondo. As an OCI layout
# in build/packages/oci/layout, and that folder as rondo-VERSION-oci.tar.
oci_package() {
  fresh oci
  set --
  for target in linux-x64 linux-arm64; do
    archive=$out/tool/rondo-tool-$version-$target.tar.gz
    test -f "$archive" || {
      echo "make.sh: there is no $archive: \`make.sh tool\` makes it" >&2
      return 1
    }
    case $target in
      linux-x64) architecture=amd64 zig=x86_64-linux-musl ;;
      linux-arm64) architecture=arm64 zig=aarch64-linux-musl ;;
    esac
    image=$work/$architecture
    mkdir -p "$work/unpacked" "$image/usr/bin" "$image/usr/share/doc" "$image/etc" "$image/models" "$image/tmp"
    tar -xf "$archive" -C "$work/unpacked" --strip-components=1
    cp "$work/unpacked/bin/rondo" "$image/usr/bin"
    cp -R "$work/unpacked/share/doc/rondo" "$image/usr/share/doc"
    rm -r "$work/unpacked"
    "$(sh "$root/platforms/cmake/zig.sh")/zig" cc -target "$zig" -static -Os -s \
      "$packages/oci/health.c" -o "$image/usr/bin/rondo-health"
    echo 'nobody:x:65532:65532:nobody:/models:/nonexistent' >"$image/etc/passwd"
    echo 'nobody:x:65532:' >"$image/etc/group"
    set -- "$@" "$architecture=$image"
  done
  PYTHONDONTWRITEBYTECODE=1 python3 "$packages/oci.py" "$version" "$SOURCE_DATE_EPOCH" "$work/layout" "$@"
  rm -r "$work/amd64" "$work/arm64"
  tar_of "$work" layout >"$work/rondo-$version-oci.tar"
  echo "rondo-$version-oci.tar"
}
