# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# A Debian source package: the sources and, as archives of their own, those of XNNPACK, pthreadpool and
# FXdiv. `apt build-dep ./rondo-VERSION && dpkg-buildpackage` there builds it without a network.
debian_package() {
  fresh debian
  revision=$version-1
  top=$work/rondo-$version
  archive=$work/rondo_$version.orig.tar.gz
  git -C "$root" archive --format=tar --prefix="rondo-$version/" HEAD | gzip -6 -n >"$archive"
  tar -xf "$archive" -C "$work"
  for name in xnnpack pthreadpool fxdiv; do
    python3 "$packages/third_parties.py" | while read -r party pool digest; do
      [ "$party" != "$name" ] || download "$pool" "$digest" "$work/rondo_$version.orig-$name.tar.xz"
    done
    unpack "$work/rondo_$version.orig-$name.tar.xz" "$top/$name"
  done
  cp -R "$packages/debian" "$top/debian"
  cp "$root/tools/serve/deploy/rondo.service" "$root/tools/serve/deploy/rondo.socket" "$top/debian"
  sed -n 's/^\(RONDO_[0-9.]*\) {/ (symver)\1 /p' "$root/c_api/rondo.map" >"$work/nodes"
  while read -r node; do
    grep -qF "$node " "$top/debian/librondo0.symbols" || {
      echo "make.sh: debian/librondo0.symbols has no $node: add it with the version that brings it" >&2
      exit 1
    }
  done <"$work/nodes"
  rm "$work/nodes"
  cat >"$top/debian/changelog" <<END
rondo ($revision) unstable; urgency=medium

  * Release $version: CHANGELOG.md says what is new.

 -- Rondo maintainers <maintainers@rondo.invalid>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END
  (cd "$work" && dpkg-source --build "rondo-$version" >"$work/dpkg-source.log" 2>&1) || {
    cat "$work/dpkg-source.log" >&2
    return 1
  }
  rm "$work/dpkg-source.log"
  rm -r "$top"
  echo "rondo_$revision.dsc"
}
