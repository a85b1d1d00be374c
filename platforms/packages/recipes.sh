# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

# For vcpkg, Conan, Homebrew, winget and Nix, out of the templates beside this file, with the checksums of what
# `source` and `tool` made. RONDO_HOME is the address of the repository that the release is published at.
recipes_package() {
  fresh recipes
  home=${RONDO_HOME:-https://rondo.invalid}
  sources=$out/source/rondo-$version.tar.gz
  parties=$out/source/rondo-third-parties-$version.tar.gz
  program=$out/tool/rondo-tool-$version-windows-x64.zip
  test -f "$sources" && test -f "$parties" || {
    echo "make.sh: there is no $sources: \`make.sh source\` makes it" >&2
    return 1
  }
  wanted='vcpkg conan homebrew nix'
  if [ -f "$program" ]; then
    wanted="$wanted winget"
  else
    echo "make.sh: no manifest for winget: there is no $program, which \`make.sh tool\` makes" >&2
    program=/dev/null
  fi
  for recipe in $wanted; do
    mkdir "$work/$recipe"
    for file in "$packages/$recipe"/*; do
      sed -e "s,@VERSION@,$version,g" -e "s,@HOME@,$home,g" \
        -e "s,@SHA256@,$(sum 256 "$sources"),g" -e "s,@SHA512@,$(sum 512 "$sources"),g" \
        -e "s,@PARTIES_SHA256@,$(sum 256 "$parties"),g" -e "s,@PARTIES_SHA512@,$(sum 512 "$parties"),g" \
        -e "s,@ZIP_SHA256@,$(sum 256 "$program"),g" "$file" >"$work/$recipe/$(basename "$file")"
    done
  done
  if grep -rn '@[A-Z0-9_]*@' "$work"; then
    echo "make.sh: a place of a recipe is not filled" >&2
    return 1
  fi
  pack "$out/recipes.tar.gz" "$out" recipes
  mv "$out/recipes.tar.gz" "$work/rondo-recipes-$version.tar.gz"
  echo "rondo-recipes-$version.tar.gz: $wanted"
}

sum() { "sha$1sum" "$2" | cut -d ' ' -f 1; }
