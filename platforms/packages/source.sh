# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# What the last commit holds, as old as that; and the sources of third parties that the libraries are compiled
# from, for builds without a network: -DRONDO_THIRD_PARTY_DIR names the folder it unpacks to.
source_package() {
  fresh source
  git -C "$root" archive --format=tar --prefix="rondo-$version/" HEAD | gzip -6 -n \
    >"$work/rondo-$version.tar.gz"
  parties=rondo-third-parties-$version
  python3 "$packages/third_parties.py" library >"$work/pins"
  while read -r name pool digest; do
    download "$pool" "$digest" "$work/archive"
    unpack "$work/archive" "$work/$parties/$name"
  done <"$work/pins"
  # What nothing here compiles is three quarters of it.
  (cd "$work/$parties" && rm -rf ./*/test ./*/tests ./*/testdata ./*/bench ./*/doc ./*/docs)
  pack "$work/$parties.tar.gz" "$work" "$parties"
  rm -r "$work/pins" "$work/archive" "${work:?}/$parties"
  printf '%s\n' "rondo-$version.tar.gz" "$parties.tar.gz"
}
