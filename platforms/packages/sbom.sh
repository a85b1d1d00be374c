# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# What is inside: rondo-VERSION.spdx.json and rondo-VERSION.cdx.json.
sbom_package() {
  fresh sbom
  PYTHONDONTWRITEBYTECODE=1 python3 "$packages/sbom.py" "$version" "$SOURCE_DATE_EPOCH" "$work"
  (cd "$work" && ls)
}
