# What spares the compiler's time where tests are built.
set(RONDO_TEST_FLAGS "" CACHE STRING
    "Compiler options for the tests and the tool, behind others (tests/elsewhere.sh)")

# rondo_spare(TARGET): builds the target with them.
function(rondo_spare target)
  target_compile_options(${target} PRIVATE ${RONDO_TEST_FLAGS})
endfunction()

# rondo_spare_test(TARGET): and its files together. Where files of a folder have equal names for
# different things, each has a namespace of its file's name. Alone stay what puts itself in the place
# of the system's functions, what sees the names of rondo.hpp only, and what sees those of the runtime
# only.
function(rondo_spare_test target)
  rondo_spare(${target})
  rondo_unity(${target} MOST 8 ALONE "/tests/c_api/(cpp_binding|threads)_test\\.cc$"
              "/tests/tools/(chat/reading_model|common/(options|picture_file))_test\\.cc$" "/reference_gguf\\.cc$")
endfunction()

rondo_spare(rondo_tool_common)
rondo_spare(rondo_convert)
rondo_spare(rondo_tools)
# These look at everything after every step: seconds with the optimiser, minutes without it.
if(RONDO_TEST_FLAGS)
  foreach(file block_table prefix_cache)
    set_source_files_properties(tests/runtime/kv/${file}_test.cc PROPERTIES COMPILE_OPTIONS -O1)
  endforeach()
endif()
