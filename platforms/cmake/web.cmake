# The browser's package, whole in build/wasm32/web: the library as a module that exports the C API, and
# what calls it.
set(web "${PROJECT_BINARY_DIR}/web")
file(WRITE "${PROJECT_BINARY_DIR}/web_module.c" "/* The library is all that the module holds. */\n")
add_executable(rondo_web "${PROJECT_BINARY_DIR}/web_module.c")
set_target_properties(rondo_web PROPERTIES
  LINKER_LANGUAGE CXX OUTPUT_NAME rondo RUNTIME_OUTPUT_DIRECTORY "${web}/lib")
target_link_libraries(rondo_web PRIVATE rondo::static)
target_link_options(rondo_web PRIVATE -mexec-model=reactor -Wl,--strip-debug
  -Wl,--export=aligned_alloc -Wl,--export=free)

file(READ "${PROJECT_SOURCE_DIR}/c_api/abi/api.json" api)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/c_api/abi/api.json")
string(JSON count LENGTH "${api}" functions)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON name GET "${api}" functions ${i} name)
  target_link_options(rondo_web PRIVATE -Wl,--export=${name})
endforeach()

file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/c_api/bindings/web"
  c_api/bindings/web/*)
foreach(file IN LISTS files)
  configure_file("c_api/bindings/web/${file}" "${web}/${file}" COPYONLY)
endforeach()
