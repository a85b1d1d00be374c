# Tests: one program per CTest label. A test file's name gives its label: *_model_test.cc uses a
# model or reference data, *_fuzz_test.cc feeds damaged input, tests/c_api/ knows the library only
# through rondo.h, everything else is a unit test. Other .cc files in tests/ are shared helpers.
find_package(GTest REQUIRED)
include(GoogleTest)

file(GLOB_RECURSE helpers CONFIGURE_DEPENDS tests/*.cc)
file(GLOB_RECURSE unit CONFIGURE_DEPENDS tests/*_test.cc)
list(REMOVE_ITEM helpers ${unit})
list(FILTER helpers EXCLUDE REGEX "_(main|benchmark)\\.cc$")  # programs, below
set(abi ${unit} ${helpers})
list(FILTER abi INCLUDE REGEX "/tests/c_api/")
file(GLOB_RECURSE abi_c CONFIGURE_DEPENDS tests/c_api/*.c)
list(FILTER unit EXCLUDE REGEX "/tests/c_api/")
list(FILTER helpers EXCLUDE REGEX "/tests/c_api/")
set(model ${unit})
list(FILTER model INCLUDE REGEX "_model_test\\.cc$")
set(fuzz ${unit})
list(FILTER fuzz INCLUDE REGEX "_fuzz_test\\.cc$")
list(FILTER unit EXCLUDE REGEX "_(model|fuzz)_test\\.cc$")

add_library(rondo_test_options INTERFACE)
target_compile_definitions(rondo_test_options INTERFACE
  "RONDO_SHARED_DATA=\"${RONDO_SHARED_DATA}\""
  "RONDO_TEST_DATA=\"${CMAKE_SOURCE_DIR}/tests/data\""
  "RONDO_SOURCE_DIR=\"${CMAKE_SOURCE_DIR}\"")

# rondo_runnable(TARGET OUT): the path with which a test runs the program TARGET; in a cross build
# a script that puts the emulator before it.
function(rondo_runnable target out)
  set(path "$<TARGET_FILE:${target}>")
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
    set(script "${CMAKE_BINARY_DIR}/emulated/${target}")
    file(GENERATE OUTPUT "${script}" CONTENT "#!/bin/sh\nexec ${emulator} '${path}' \"$@\"\n"
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    set(path "${script}")
  endif()
  set(${out} "${path}" PARENT_SCOPE)
endfunction()
rondo_runnable(rondo_tool tool)
target_compile_definitions(rondo_test_options INTERFACE "RONDO_TOOL=\"${tool}\"")
if(CMAKE_CROSSCOMPILING_EMULATOR)  # programs of this machine cannot load the library then
  target_compile_definitions(rondo_test_options INTERFACE RONDO_EMULATED=1)
endif()
target_link_libraries(rondo_test_options INTERFACE rondo_own GTest::gtest GTest::gmock)

# What tests of the insides link: the runtime and the tool's parts.
add_library(rondo_test_insides INTERFACE)
target_link_libraries(rondo_test_insides INTERFACE rondo_test_options rondo_tools)
add_library(rondo_test_helpers STATIC ${helpers})
target_link_libraries(rondo_test_helpers PUBLIC rondo_test_insides)

# rondo_test_program(LABEL LIBRARY SOURCE...)
function(rondo_test_program label library)
  set(program rondo_${label}_tests)
  add_executable(${program} ${ARGN})
  target_link_libraries(${program} PRIVATE rondo_test_options ${library} GTest::gtest_main)
  add_dependencies(${program} rondo_tool)
  # Tests are listed when ctest runs, not while building: a cross build may have no emulator.
  gtest_discover_tests(${program}
    TEST_PREFIX "${label}." NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${label} TIMEOUT 600)
endfunction()

rondo_test_program(unit rondo_test_helpers ${unit})
target_sources(rondo_unit_tests PRIVATE $<TARGET_OBJECTS:rondo_xnnpack_packers>)
target_include_directories(rondo_unit_tests SYSTEM
  PRIVATE $<TARGET_PROPERTY:rondo_xnnpack,INTERFACE_INCLUDE_DIRECTORIES>)
rondo_test_program(model rondo_test_helpers ${model})
rondo_test_program(fuzz rondo_test_helpers ${fuzz})

# Writes random checkpoints of any size, to measure with.
add_executable(rondo_make_checkpoint tests/tools/convert/make_checkpoint_main.cc)
target_link_libraries(rondo_make_checkpoint PRIVATE rondo_test_helpers)

# Times of the parts, in one program: `cmake --build ... --target rondo_benchmarks`. Optional: where
# the system has Google Benchmark.
find_package(benchmark QUIET)
if(benchmark_FOUND)
  file(GLOB_RECURSE benchmarks CONFIGURE_DEPENDS tests/*_benchmark.cc)
  add_executable(rondo_benchmarks EXCLUDE_FROM_ALL ${benchmarks})
  target_link_libraries(rondo_benchmarks PRIVATE
    rondo_test_helpers benchmark::benchmark_main benchmark::benchmark)
endif()

rondo_test_program(abi rondo ${abi} ${abi_c})
# The example programs, which the tests run.
add_executable(rondo_example_generate c_api/examples/generate.c)
target_link_libraries(rondo_example_generate PRIVATE rondo_own rondo)
add_dependencies(rondo_abi_tests rondo_example_generate)
rondo_runnable(rondo_example_generate example)
target_compile_definitions(rondo_abi_tests PRIVATE "RONDO_EXAMPLE_GENERATE=\"${example}\"")

# The libraries as others see them.
if(TARGET rondo_archive)
  set(header "${CMAKE_SOURCE_DIR}/include/rondo/rondo.h")
  add_test(NAME abi.exports COMMAND sh "${CMAKE_SOURCE_DIR}/tests/c_api/exports.sh" "${CMAKE_NM}"
    "${CMAKE_C_COMPILER}" "${header}" "$<TARGET_FILE:rondo>" "${RONDO_ARCHIVE}")
  set_tests_properties(abi.exports PROPERTIES LABELS abi)
  if(NOT CMAKE_CROSSCOMPILING)
    add_test(NAME abi.install COMMAND sh "${CMAKE_SOURCE_DIR}/tests/c_api/install_test.sh"
      "${CMAKE_COMMAND}" "${CMAKE_BINARY_DIR}" "${CMAKE_C_COMPILER}")
    set_tests_properties(abi.install PROPERTIES LABELS abi)
  endif()
endif()
