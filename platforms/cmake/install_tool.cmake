# The program, its man pages and its completions in shells; and the packages of all that is
# installed: `cpack --config build/.../CPackConfig.cmake` makes one .tar.gz of everything, and
# on Debian a .deb of each component: librondo0, librondo-dev, rondo.
include(GNUInstallDirs)
install(TARGETS rondo_tool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tool)
rondo_install_licences(rondo tool ${RONDO_LICENCES} ${RONDO_TOOL_LICENCES})

# Both are what the program says of itself; Windows has neither.
if(NOT WIN32)
  add_executable(rondo_make_manual tools/manual/main.cc)
  target_link_libraries(rondo_make_manual PRIVATE rondo_tools)
  set(manual "${PROJECT_BINARY_DIR}/manual")
  add_custom_command(
    OUTPUT "${manual}/man/man1/rondo.1"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${manual}"
    COMMAND rondo_make_manual "${manual}"
    COMMENT "Writing man pages and completions" VERBATIM)
  add_custom_target(rondo_manual ALL DEPENDS "${manual}/man/man1/rondo.1")
  install(DIRECTORY "${manual}/" DESTINATION "${CMAKE_INSTALL_DATADIR}" COMPONENT tool)
endif()

set(CPACK_PACKAGE_NAME rondo)
set(CPACK_PACKAGE_VENDOR Rondo)
set(CPACK_PACKAGE_CONTACT "Rondo's maintainers <maintainers@rondo.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Runtime for language models in one planned block of memory")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development tool)
set(CPACK_GENERATOR TGZ)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME librondo0)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "Language models on edge devices: the shared library")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME librondo-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "librondo0 (= ${PROJECT_VERSION}), libpcre2-dev, libutf8proc-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "Language models on edge devices: header and libraries")
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME rondo)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOL_DESCRIPTION "Language models on edge devices: the program")
# Which packages the programs need, dpkg-shlibdeps finds out.
find_program(RONDO_DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(RONDO_FILE file)
if(RONDO_DPKG_SHLIBDEPS AND RONDO_FILE AND NOT CMAKE_CROSSCOMPILING)
  list(APPEND CPACK_GENERATOR DEB)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
else()
  message(STATUS "dpkg-shlibdeps or file: not found, no .deb is made (Debian: dpkg-dev file)")
endif()
include(CPack)
