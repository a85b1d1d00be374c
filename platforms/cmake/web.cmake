# The browser's package, whole in build/wasm32/web: the library as a module that exports the C API, and
# what calls it.
set(web "${PROJECT_BINARY_DIR}/web")
file(WRITE "${PROJECT_BINARY_DIR}/web_module.c" "/* The library is all that the module holds. */\n")

file(READ "${PROJECT_SOURCE_DIR}/c_api/abi/api.json" api)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/c_api/abi/api.json")
string(JSON count LENGTH "${api}" functions)
math(EXPR last "${count} - 1")
set(exports -Wl,--export=aligned_alloc -Wl,--export=free)
foreach(i RANGE ${last})
  string(JSON name GET "${api}" functions ${i} name)
  list(APPEND exports -Wl,--export=${name})
endforeach()

# rondo.wasm, and the same with kernels of relaxed SIMD, of which a page takes what its browser can.
function(rondo_web_module name)
  add_executable(${name} "${PROJECT_BINARY_DIR}/web_module.c" ${ARGN})
  set_target_properties(${name} PROPERTIES
    LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY "${web}/lib")
  target_link_libraries(${name} PRIVATE rondo::static)
  target_link_options(${name} PRIVATE -mexec-model=reactor -Wl,--strip-debug ${exports})
endfunction()
rondo_web_module(rondo_web)
set_target_properties(rondo_web PROPERTIES OUTPUT_NAME rondo)
rondo_web_module(rondo_web_relaxed $<TARGET_OBJECTS:rondo_relaxed>)
set_target_properties(rondo_web_relaxed PROPERTIES OUTPUT_NAME rondo-relaxed)

file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/c_api/bindings/web"
  c_api/bindings/web/*)
foreach(file IN LISTS files)
  configure_file("c_api/bindings/web/${file}" "${web}/${file}" COPYONLY)
endforeach()
