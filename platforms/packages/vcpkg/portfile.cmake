vcpkg_download_distfile(archive
  URLS "@HOME@/releases/download/v@VERSION@/rondo-@VERSION@.tar.gz"
  FILENAME "rondo-@VERSION@.tar.gz"
  SHA512 @SHA512@)
vcpkg_extract_source_archive(source ARCHIVE "${archive}")
vcpkg_download_distfile(archive
  URLS "@HOME@/releases/download/v@VERSION@/rondo-third-parties-@VERSION@.tar.gz"
  FILENAME "rondo-third-parties-@VERSION@.tar.gz"
  SHA512 @PARTIES_SHA512@)
vcpkg_extract_source_archive(third_parties ARCHIVE "${archive}")
vcpkg_cmake_configure(SOURCE_PATH "${source}"
  OPTIONS
    "-DRONDO_THIRD_PARTY_DIR=${third_parties}"
    "-DRONDO_FLATC=${CURRENT_HOST_INSTALLED_DIR}/tools/flatbuffers/flatc${VCPKG_HOST_EXECUTABLE_SUFFIX}"
    -DRONDO_TOOLS=OFF -DRONDO_TESTS=OFF -DRONDO_BUNDLED=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/rondo)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE" "${third_parties}/xnnpack/LICENSE"
  "${third_parties}/pthreadpool/LICENSE" "${third_parties}/fxdiv/LICENSE")
