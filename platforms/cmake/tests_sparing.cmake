# Tests are compiled once for each system and run in minutes: what spares the compiler's time counts
# (tests/elsewhere.sh). The library and the helpers' loops are compiled as ever.
set(RONDO_TEST_FLAGS "" CACHE STRING
    "Compiler options for the tests and the tool, behind others; and headers are parsed once")

# rondo_spare(TARGET HEADER...): these headers are what most of its files include.
function(rondo_spare target)
  if(RONDO_TEST_FLAGS)
    target_compile_options(${target} PRIVATE ${RONDO_TEST_FLAGS})
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

rondo_spare(rondo_tool_common <CLI/CLI.hpp> <filesystem> <fstream> <string> <vector>)
rondo_spare(rondo_convert <nlohmann/json.hpp> <rondo_generated.h> <filesystem> <fstream> <vector>)
rondo_spare(rondo_tools <CLI/CLI.hpp> <nlohmann/json.hpp> <filesystem> <fstream> <vector>)
# These have options of their own, for which the headers would be others.
file(GLOB_RECURSE tool_files tools/convert/*.cc)
foreach(file IN LISTS tool_files)
  get_source_file_property(options "${file}" COMPILE_OPTIONS)
  if(options)
    set_property(SOURCE "${file}" PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  endif()
endforeach()
# These look at everything after every step: seconds with the optimiser, minutes without it.
if(RONDO_TEST_FLAGS)
  foreach(file block_table prefix_cache)
    set_source_files_properties(tests/runtime/kv/${file}_test.cc PROPERTIES
      COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
  endforeach()
endif()
