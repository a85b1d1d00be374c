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

# The library once more, for pages whose threads may share memory: atomics are atomic in it, and its
# pool is of Web Workers. XNNPACK, PCRE2 and utf8proc have nothing that it takes to compile twice.
file(GLOB threads CONFIGURE_DEPENDS platforms/wasi/threads/*.cc)
set(sources ${kernel_sources} ${platform_sources} ${runtime_sources} ${hot_sources}
  ${c_api_sources} ${threads})
list(FILTER sources EXCLUDE REGEX "/serial/(cores|sync|thread_pool)\\.cc$")
add_library(rondo_threads OBJECT ${sources})
target_link_libraries(rondo_threads PRIVATE rondo_lean rondo_xnnpack rondo_pcre2 rondo_utf8proc)
target_compile_definitions(rondo_threads PRIVATE
  $<TARGET_PROPERTY:rondo_c_api,COMPILE_DEFINITIONS>)
# Without bulk memory, so that errno is no thread's own, as it is in the C library.
target_compile_options(rondo_threads PRIVATE -matomics)

# rondo_web_module(NAME FROM...): NAME.wasm, which holds these.
function(rondo_web_module name)
  add_executable(${name}_module "${PROJECT_BINARY_DIR}/web_module.c")
  set_target_properties(${name}_module PROPERTIES
    LINKER_LANGUAGE CXX OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${web}/lib")
  target_link_libraries(${name}_module PRIVATE ${ARGN})
  target_link_options(${name}_module PRIVATE -mexec-model=reactor -Wl,--strip-debug ${exports})
endfunction()

# The same for threads. The C library knows of none, which the linker would refuse: workers do not
# allocate, and call nothing else of it that has a state.
function(rondo_web_threads_module name)
  rondo_web_module(${name} ${ARGN} $<TARGET_OBJECTS:rondo_threads> $<TARGET_OBJECTS:rondo_xnnpack>
    ${RONDO_BUNDLED_OBJECTS} ${RONDO_CXX_RUNTIME})
  target_link_options(${name}_module PRIVATE -Wl,--no-check-features
    -Wl,--import-memory,--export-memory,--shared-memory,--max-memory=4294967296
    -Wl,--export=__stack_pointer)
endfunction()

# A page takes what its browser can: kernels of relaxed SIMD, and threads.
rondo_web_module(rondo rondo::static)
rondo_web_module(rondo-relaxed $<TARGET_OBJECTS:rondo_relaxed> rondo::static)
rondo_web_threads_module(rondo-threads)
rondo_web_threads_module(rondo-threads-relaxed $<TARGET_OBJECTS:rondo_relaxed>)

file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/c_api/bindings/web"
  c_api/bindings/web/*)
foreach(file IN LISTS files)
  configure_file("c_api/bindings/web/${file}" "${web}/${file}" COPYONLY)
endforeach()
