# What spares the compiler's time where tests are built: most of what it reads of a test are the same
# headers.
set(RONDO_TEST_FLAGS "" CACHE STRING
    "Compiler options for the tests and the tool, behind others (tests/elsewhere.sh)")

# rondo_spare(TARGET HEADER...): these headers are what most of its files include; they are parsed
# once. Not with sanitizers, nor for other machines: of headers that were parsed before, compilers
# warn as of our own.
function(rondo_spare target)
  target_compile_options(${target} PRIVATE ${RONDO_TEST_FLAGS})
  if(RONDO_UNITY AND ARGN AND (RONDO_TEST_FLAGS OR NOT (RONDO_SANITIZE OR CMAKE_CROSSCOMPILING)))
    list(TRANSFORM ARGN REPLACE "^<(.*)>$" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    target_precompile_headers(${target} PRIVATE ${ARGN})
    # What ccache asks of compilers, to find again what was compiled with them.
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
      "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()

rondo_spare(rondo_tool_common)
rondo_spare(rondo_convert)
rondo_spare(rondo_tools)
# These look at everything after every step: seconds with the optimiser, minutes without it.
if(RONDO_TEST_FLAGS)
  foreach(file block_table prefix_cache)
    set_source_files_properties(tests/runtime/kv/${file}_test.cc PROPERTIES
      COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
  endforeach()
endif()
