# Test files that make no sense on the target's system, or ask for what it has not. Each of their
# tests is there all the same, under its name, and says why it is skipped.
set(RONDO_LEFT_OUT "")  # file;reason;file;reason
if(WIN32)
  list(APPEND RONDO_LEFT_OUT
    tests/platforms/topology_test.cc "the files in which Linux tells of CPUs are for Linux"
    tests/tools/interrupt_model_test.cc "no process is traced here"
    tests/tools/chat/terminal_model_test.cc "terminals of POSIX are not there"
    tests/tools/run/terminal_model_test.cc "terminals of POSIX are not there"
    tests/tools/common/output_test.cc "neither terminals of POSIX nor forked processes are there"
    tests/tools/common/interrupt_test.cc "what is pressed comes by no signal here")
endif()
if(RONDO_SYSTEM STREQUAL "wasi")
  list(APPEND RONDO_LEFT_OUT
    tests/platforms/file_map_test.cc "the C++ library writes no files there"
    tests/platforms/sync_test.cc "there is one thread"
    tests/platforms/thread_pool_test.cc "there is one thread"
    tests/platforms/topology_test.cc "the files in which Linux tells of CPUs are for Linux")
endif()

# rondo_leave_out(SOURCES): puts sources that skip in these files' places.
function(rondo_leave_out sources)
  set(list ${${sources}})
  set(rest ${RONDO_LEFT_OUT})
  while(rest)
    list(POP_FRONT rest file reason)
    set(path "${PROJECT_SOURCE_DIR}/${file}")
    if(NOT path IN_LIST list)
      continue()
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    set(text "#include <gtest/gtest.h>\n")
    file(STRINGS "${path}" tests REGEX "^TEST(_F|_P)?\\(")
    foreach(test IN LISTS tests)
      string(REGEX REPLACE "^TEST[_FP]*\\(([A-Za-z0-9_]+), *([A-Za-z0-9_]+)\\).*"
             "TEST(\\1, \\2)" test "${test}")
      string(APPEND text "${test} { GTEST_SKIP() << \"${reason}\"; }\n")
    endforeach()
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/left_out/${file}" CONTENT "${text}" @ONLY)
    list(TRANSFORM list REPLACE "^${path}$" "${PROJECT_BINARY_DIR}/left_out/${file}")
  endwhile()
  set(${sources} ${list} PARENT_SCOPE)
endfunction()
