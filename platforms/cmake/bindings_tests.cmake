# rondo.hpp is for C++17, and strict hosts.
add_executable(rondo_example_cpp c_api/bindings/cpp/example.cc)
set_target_properties(rondo_example_cpp PROPERTIES CXX_STANDARD 17)
target_compile_options(rondo_example_cpp PRIVATE -Wpedantic -Wconversion -Wshadow)
target_link_libraries(rondo_example_cpp PRIVATE rondo_own rondo)

# The API's description, held against the header; what is generated from it, against what is checked
# in; and each binding's own tests, skipped where its language's tools are absent.
include(platforms/cmake/python.cmake)
if(NOT RONDO_PYTHON3)
  message(STATUS "No python3: the API's description and the bindings are not tested")
  return()
endif()
add_test(NAME abi.description COMMAND "${RONDO_PYTHON3}"
  "${CMAKE_SOURCE_DIR}/c_api/abi/check_api.py"
  "${CMAKE_SOURCE_DIR}/include/rondo/rondo.h" "${CMAKE_SOURCE_DIR}/c_api/abi/api.json")
set_tests_properties(abi.description PROPERTIES LABELS abi ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)

# Every function is in every binding, or left out with a reason.
add_test(NAME abi.bindings.whole COMMAND "${RONDO_PYTHON3}"
  "${CMAKE_SOURCE_DIR}/c_api/abi/check_bindings.py")
set_tests_properties(abi.bindings.whole PROPERTIES LABELS abi ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)

# Every manifest carries what VERSION says.
add_test(NAME abi.version COMMAND "${RONDO_PYTHON3}"
  "${CMAKE_SOURCE_DIR}/platforms/packages/version.py" --check)
set_tests_properties(abi.version PROPERTIES LABELS abi)

# Each behaviour of the one list is in every binding's tests, or left out with a reason.
add_test(NAME abi.bindings.behaviours COMMAND "${RONDO_PYTHON3}"
  "${CMAKE_SOURCE_DIR}/c_api/bindings/check_behaviours.py")
set_tests_properties(abi.bindings.behaviours PROPERTIES LABELS abi)

# rondo_binding_test(NAME [PROPERTY VALUE]...)
function(rondo_binding_test name)
  add_test(NAME abi.bindings.${name} COMMAND sh "${CMAKE_SOURCE_DIR}/c_api/bindings/test.sh"
    ${name} "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}")
  set_tests_properties(abi.bindings.${name} PROPERTIES
    LABELS abi SKIP_RETURN_CODE 77 TIMEOUT 600 ${ARGN})
endfunction()
rondo_binding_test(generated)
# Interpreters cannot load a library with a sanitizer inside, nor one for another machine.
if(NOT RONDO_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  rondo_binding_test(prepare FIXTURES_SETUP rondo_bindings)
  # Ranges and defaults are what api.json says.
  add_test(NAME abi.options COMMAND "${RONDO_PYTHON3}" -B
    "${CMAKE_SOURCE_DIR}/tests/c_api/options_test.py" $<TARGET_FILE:rondo>
    "${CMAKE_BINARY_DIR}/bindings/tiny.rondo")
  set_tests_properties(abi.options PROPERTIES LABELS abi FIXTURES_REQUIRED rondo_bindings)
  foreach(language cpp python node go rust java kotlin csharp swift)
    rondo_binding_test(${language} FIXTURES_REQUIRED rondo_bindings)
  endforeach()
endif()
