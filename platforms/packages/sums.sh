# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# All that is published, in build/packages/release: SHA256SUMS over it, and SHA256SUMS.sig where
# RONDO_SIGNING_KEY names a private key that ssh-keygen made. The key is nobody's but the releaser's, and
# is not written anywhere. README.md says how one checks.
sums_package() {
  fresh release
  find "$out" -path "$work" -prune -o -path '*/proxy/*' -prune -o -path '*/library/*' -prune -o \
    -path '*/tool/libraries-*' -prune -o -path '*/tool/build-*' -prune -o -path '*/targets/*' -prune -o \
    -path '*/oci/layout/*' -prune -o -type f \
    \( -name "*rondo*$version*.tar.gz" -o -name "*rondo*$version*.tgz" -o -name "*rondo*$version*.whl" \
    -o -name "rondo*$version*.crate" -o -name "Rondo*$version*.nupkg" -o -name "rondo*$version*.jar" \
    -o -name "rondo*$version*.zip" -o -name "rondo*$version*.json" -o -name "rondo*$version*.tar" \
    -o -name "rondo_$version*" \) -print | sort >"$out/published"
  while read -r file; do
    ln "$file" "$work/" 2>/dev/null || cp "$file" "$work/"
  done <"$out/published"
  rm "$out/published"
  (cd "$work" && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .)
  if [ -n "${RONDO_SIGNING_KEY:-}" ]; then
    ssh-keygen -q -Y sign -f "$RONDO_SIGNING_KEY" -n rondo-release "$work/SHA256SUMS"
    echo "SHA256SUMS and SHA256SUMS.sig, of $(wc -l <"$work/SHA256SUMS") files"
  else
    echo "SHA256SUMS of $(wc -l <"$work/SHA256SUMS") files; not signed: RONDO_SIGNING_KEY names no key"
  fi
}
