# Tests: one program per CTest label. A test file's name gives its label: *_model_test.cc uses a
# model or reference data, *_fuzz_test.cc feeds damaged input, tests/c_api/ knows the library only
# through rondo.h (and the table of handles alone), everything else is a unit test. *_fuzzer.cc is a
# program of its own, which makes up its inputs. Other .cc files in tests/ are shared helpers.
if(NOT RONDO_BUNDLED)
  find_package(GTest REQUIRED)
endif()

file(GLOB_RECURSE helpers CONFIGURE_DEPENDS tests/*.cc)
file(GLOB_RECURSE unit CONFIGURE_DEPENDS tests/*_test.cc)
list(REMOVE_ITEM helpers ${unit})
list(FILTER helpers EXCLUDE REGEX "_(main|benchmark|fuzzer)\\.cc$|/convert_by_tool\\.cc$")  # below
set(abi ${unit} ${helpers})
list(FILTER abi INCLUDE REGEX "/tests/c_api/")
file(GLOB_RECURSE abi_c CONFIGURE_DEPENDS tests/c_api/*.c)
list(FILTER abi_c EXCLUDE REGEX "_program\\.c$")  # which scripts compile
list(FILTER unit EXCLUDE REGEX "/tests/c_api/")
# Serves what `rondo pull` downloads in its tests; it is of this machine.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND AND RONDO_PULL AND NOT RONDO_BUNDLED)
  pkg_check_modules(httplib QUIET cpp-httplib)
endif()
if(NOT httplib_FOUND)
  list(FILTER unit EXCLUDE REGEX "/tests/tools/pull/")
endif()
if(NOT RONDO_PICTURES STREQUAL "jpeg;png;webp")  # with them pictures are made
  list(FILTER unit EXCLUDE REGEX "/tests/tools/(common/picture|chat/reading)")
  list(FILTER helpers EXCLUDE REGEX "/tests/tools/common/picture")
endif()
if(NOT RONDO_GRAMMARS)
  list(FILTER unit EXCLUDE REGEX "/tests/runtime/grammar/")
endif()
if(NOT RONDO_CHAT)  # these look into the language's own lists
  list(FILTER unit EXCLUDE REGEX "/tests/runtime/chat/jinja/")
endif()
list(FILTER helpers EXCLUDE REGEX "/tests/c_api/")
set(model ${unit})
list(FILTER model INCLUDE REGEX "_model_test\\.cc$")
set(fuzz ${unit})
list(FILTER fuzz INCLUDE REGEX "_fuzz_test\\.cc$")
list(FILTER unit EXCLUDE REGEX "_(model|fuzz)_test\\.cc$")
if(RONDO_SANITIZE STREQUAL "thread")  # what one thread does alone shows no race
  foreach(label unit model)
    set(alone ${${label}})
    list(FILTER alone INCLUDE REGEX
      "/tests/(runtime/(base|chat|grammar|kernels|media|sampling|text)|tools/convert)/")
    list(FILTER alone EXCLUDE REGEX "/text/(encoding_turn|tokenizer)_test\\.cc$|/convert/(calibrate|output)/")
    list(REMOVE_ITEM ${label} ${alone})
    foreach(source IN LISTS ${label})  # nor where all that it says of threads is that there is one
      file(STRINGS "${source}" said REGEX "thread")
      list(FILTER said EXCLUDE REGEX "threads = 1")
      file(STRINGS "${source}" one REGEX "threads = 1")
      if(one AND NOT said)
        list(REMOVE_ITEM ${label} "${source}")
      endif()
    endforeach()
  endforeach()
endif()
if(CMAKE_CROSSCOMPILING)
  include(platforms/cmake/tests_left_out.cmake)
  rondo_leave_out(unit)
  rondo_leave_out(model)
endif()

add_library(rondo_test_options INTERFACE)
# Of tests the compiler's time counts more than theirs: a fifth less with the plain optimiser.
set(RONDO_TEST_OPTIMISER $<$<CONFIG:Release>:-O1>)
include(platforms/cmake/tests_sparing.cmake)
# Tests of tools/ are programs of their own, so that a change there leaves the others as they are.
option(RONDO_TEST_TOOLS "Unit and model tests of tools/, too" ON)
foreach(label unit model)
  set(tools_${label} ${${label}})
  list(FILTER tools_${label} INCLUDE REGEX "/tests/tools/")
  list(FILTER ${label} EXCLUDE REGEX "/tests/tools/")
  if(NOT RONDO_SERVE)
    list(FILTER tools_${label} EXCLUDE REGEX "/tests/tools/serve/")
  endif()
endforeach()

# rondo_runnable(TARGET OUT): the path with which a test runs the program TARGET; in a cross build
# a script that puts the emulator before it, but for Windows, whose programs start each other.
function(rondo_runnable target out)
  set(path "$<TARGET_FILE:${target}>")
  if(CMAKE_CROSSCOMPILING_EMULATOR AND NOT WIN32)
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
    set(script "${PROJECT_BINARY_DIR}/emulated/${target}")
    file(GENERATE OUTPUT "${script}" CONTENT "#!/bin/sh\nexec ${emulator} '${path}' \"$@\"\n"
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    set(path "${script}")
  endif()
  set(${out} "${path}" PARENT_SCOPE)
endfunction()
set(RONDO_TEST_TOOL "" CACHE FILEPATH
    "The program rondo that tests call: another build's, to spare building it; empty: this build's")
add_custom_target(rondo_test_tool)
if(RONDO_TEST_TOOL)
  set(tool "${RONDO_TEST_TOOL}")
else()
  rondo_runnable(rondo_tool tool)
  add_dependencies(rondo_test_tool rondo_tool)
endif()
set_property(SOURCE tests/support/places.cc APPEND PROPERTY COMPILE_DEFINITIONS
  "RONDO_SHARED_DATA=\"${RONDO_SHARED_DATA}\""
  "RONDO_TEST_DATA=\"${PROJECT_SOURCE_DIR}/tests/data\""
  "RONDO_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\""
  "RONDO_TOOL=\"${tool}\"")
if(CMAKE_CROSSCOMPILING_EMULATOR)  # programs of this machine cannot load the library then
  target_compile_definitions(rondo_test_options INTERFACE RONDO_EMULATED=1)
endif()
target_link_libraries(rondo_test_options INTERFACE rondo_own GTest::gtest GTest::gmock)

# What tests of the insides link beside the part that they test: the runtime and the converter.
add_library(rondo_test_helpers STATIC ${helpers})
target_link_libraries(rondo_test_helpers
  PUBLIC rondo_test_options rondo_convert
  PRIVATE rondo_pictures)
rondo_spare_test(rondo_test_helpers)

# rondo_test_program(NAME SHARES COST LIBRARY SOURCE...): CTest runs the program whole, as so many
# processes that share its tests; NAME ends with their label. A process for each test costs more than most tests do, under
# sanitizers and the emulator above all. COST is about the seconds that one takes; the longest begin
# first, so that no core waits for one at the end.
function(rondo_test_program name shares cost library)
  set(program rondo_${name}_tests)
  string(REGEX REPLACE "^tools_" "" label ${name})
  add_executable(${program} ${ARGN})
  target_link_libraries(${program} PRIVATE rondo_test_options ${library} GTest::gtest_main)
  target_compile_options(${program} PRIVATE ${RONDO_TEST_OPTIMISER})
  rondo_spare_test(${program})
  if(WIN32)  # as the program rondo: one file, whose paths and arguments are UTF-8
    target_sources(${program} PRIVATE tools/system/windows/rondo.rc)
    target_link_options(${program} PRIVATE -static)
  endif()
  math(EXPR last "${shares} - 1")
  foreach(share RANGE ${last})
    add_test(NAME ${name}.${share} COMMAND ${program} --gtest_brief=1)
    set_tests_properties(${name}.${share} PROPERTIES LABELS ${label} COST ${cost} TIMEOUT 3000
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${shares};GTEST_SHARD_INDEX=${share}")
  endforeach()
endfunction()

# The parts below a model: these tests need no converter. A program of their own where they are all
# that can be had, or to begin with on a new system: `cmake --build ... --target rondo_parts_tests`.
set(parts ${unit})
list(FILTER parts INCLUDE REGEX
  "/tests/(platforms|runtime/(base|chat|kernels|kv|media|plan|sampling))/")
list(FILTER parts EXCLUDE REGEX "/chat/calls/(scanners|chat_grammar)_test\\.cc$")  # need JSON's library
list(REMOVE_ITEM unit ${parts})
add_library(rondo_parts OBJECT ${parts})
target_link_libraries(rondo_parts PRIVATE rondo_test_options rondo_runtime)
target_compile_options(rondo_parts PRIVATE ${RONDO_TEST_OPTIMISER})
target_include_directories(rondo_parts SYSTEM
  PRIVATE $<TARGET_PROPERTY:rondo_xnnpack,INTERFACE_INCLUDE_DIRECTORIES>)
rondo_spare_test(rondo_parts)
set(parts_objects $<TARGET_OBJECTS:rondo_parts> $<TARGET_OBJECTS:rondo_xnnpack_packers>)
if(CMAKE_CROSSCOMPILING)
  rondo_test_program(parts 2 20 rondo_runtime ${parts_objects} tests/support/places.cc)
  set_target_properties(rondo_parts_tests PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

rondo_test_program(unit 4 20 rondo_test_helpers ${unit} ${parts_objects})
rondo_test_program(model 12 50 rondo_test_helpers ${model})
if(RONDO_TEST_TOOLS)
  rondo_test_program(tools_unit 4 20 rondo_test_helpers ${tools_unit})
  rondo_test_program(tools_model 6 50 rondo_test_helpers ${tools_model})
  foreach(label unit model)
    target_link_libraries(rondo_tools_${label}_tests PRIVATE rondo_tools)
    add_dependencies(rondo_tools_${label}_tests rondo_test_tool)
  endforeach()
endif()
if(httplib_FOUND AND RONDO_TEST_TOOLS)
  file(GLOB served CONFIGURE_DEPENDS tests/tools/pull/*_test.cc)
  set_property(SOURCE ${served} APPEND PROPERTY
    COMPILE_OPTIONS ${httplib_CFLAGS_OTHER})
  target_link_libraries(rondo_tools_unit_tests PRIVATE ${httplib_LINK_LIBRARIES})
endif()
rondo_test_program(fuzz 3 4 rondo_test_helpers ${fuzz})
# What headers alone do: tests/mutate.sh, which changes them, need not compile the rest anew.
add_executable(rondo_header_tests EXCLUDE_FROM_ALL tests/runtime/kv/context_window_test.cc)
target_link_libraries(rondo_header_tests PRIVATE rondo_test_options GTest::gtest_main)

# Each kernel set on an emulated CPU that has no better one; and the CPU's features are told right,
# as there is nothing to run otherwise. A program of its own, for which little is to be built: the
# program `rondo`, this machine's where there is one, converts for it.
if(CMAKE_CROSSCOMPILING_EMULATOR MATCHES "qemu-aarch64")
  add_executable(rondo_arm_tests tests/runtime/engine/row_invariance_model_test.cc
    tests/runtime/kernels/packed_linear_test.cc tests/runtime/kernels/sme_test.cc
    tests/support/convert_by_tool.cc tests/support/places.cc)
  target_link_libraries(rondo_arm_tests PRIVATE
    rondo_test_options rondo_runtime rondo_json GTest::gtest_main)
  add_dependencies(rondo_arm_tests rondo_test_tool)
  foreach(set_and_cpu neon:cortex-a53 neondot:cortex-a76 i8mm:max)
    string(REGEX MATCH "(.*):(.*)" _ ${set_and_cpu})
    set(set ${CMAKE_MATCH_1})
    add_test(NAME arm.${set} COMMAND rondo_arm_tests --gtest_brief=1
      "--gtest_filter=Tiny/RowInvariance.ChunkSizeAndThreads/${set}_Q*")
    set_tests_properties(arm.${set} PROPERTIES LABELS arm TIMEOUT 600
      ENVIRONMENT "QEMU_CPU=${CMAKE_MATCH_2}" FAIL_REGULAR_EXPRESSION "PASSED  . [01] test")
  endforeach()
  # qemu 7.2 multiplies wrongly by SME's smopa (its issue 2083), and has no vectors of 512 bits there
  # unless it is told: nothing takes this set by itself. Without FA64 it refuses what streaming mode
  # is not sure to have.
  foreach(qemu IN ITEMS "${RONDO_QEMU}" "${PROJECT_SOURCE_DIR}/build/qemu/usr/bin/qemu-aarch64")
    execute_process(COMMAND "${qemu}" --version OUTPUT_VARIABLE version ERROR_QUIET)
    if(version MATCHES "version ([0-9.]+)" AND CMAKE_MATCH_1 VERSION_GREATER_EQUAL 10)
      add_test(NAME arm.sme COMMAND ${CMAKE_COMMAND} -E env
        QEMU_CPU=max,sme-default-vector-length=64,sme_fa64=off
        "${qemu}" -L /usr/aarch64-linux-gnu "$<TARGET_FILE:rondo_arm_tests>" --gtest_brief=1
        "--gtest_filter=SmeTest.*:All/PackedLinearTest.*/sme_q*:Tiny/RowInvariance.ChunkSizeAndThreads/sme_Q*")
      set_tests_properties(arm.sme PROPERTIES LABELS arm TIMEOUT 600
        FAIL_REGULAR_EXPRESSION "PASSED  . [01] test")
      break()
    endif()
  endforeach()
endif()

# The kernel sets for instructions that few machines have, which a handler of SIGILL emulates: some
# microseconds each, so that whole models run with AMX only. Sanitizers see nothing of what it does.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND
   NOT RONDO_SANITIZE)
  add_executable(rondo_emulated_x86_tests tests/support/emulated_x86_main.cc
    tests/runtime/kernels/kv_page_test.cc tests/runtime/kernels/packed_linear_test.cc
    tests/runtime/kernels/values_test.cc tests/runtime/engine/row_invariance_model_test.cc)
  target_link_libraries(rondo_emulated_x86_tests PRIVATE rondo_test_helpers)
  target_link_options(rondo_emulated_x86_tests PRIVATE
    LINKER:--wrap=_ZN5rondo9DetectCpuEv LINKER:--wrap=_ZN5rondo8AllowAmxEv)
  add_test(NAME unit.emulated_x86 COMMAND rondo_emulated_x86_tests --gtest_brief=1
    "--gtest_filter=EmulatedX86.*:*/amx_*:All/*/avxvnni_*")
  set_tests_properties(unit.emulated_x86 PROPERTIES LABELS unit COST 150 TIMEOUT 3000)
endif()

# Fuzzers look for the way into the code by its coverage (the asan preset), with libFuzzer.
if(RONDO_SANITIZE MATCHES "fuzzer")
  file(GLOB_RECURSE fuzzers CONFIGURE_DEPENDS tests/*_fuzzer.cc)
  if(NOT RONDO_PICTURES STREQUAL "jpeg;png;webp")
    list(FILTER fuzzers EXCLUDE REGEX "/picture_file_fuzzer\\.cc$")
  endif()
  add_custom_target(rondo_fuzzers)
  foreach(source IN LISTS fuzzers)
    cmake_path(GET source STEM name)
    add_executable(rondo_${name} EXCLUDE_FROM_ALL ${source})
    set_target_properties(rondo_${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzzers" OUTPUT_NAME ${name})
    target_link_libraries(rondo_${name} PRIVATE rondo_test_helpers)
    target_link_options(rondo_${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(rondo_fuzzers rondo_${name})
  endforeach()
  target_sources(rondo_random_calls_fuzzer PRIVATE tests/c_api/tiny_model.cc)
  add_dependencies(rondo_fuzzers rondo_test_tool)
endif()

# Writes random checkpoints of any size, to measure with.
add_executable(rondo_make_checkpoint tests/tools/convert/make_checkpoint_main.cc)
target_link_libraries(rondo_make_checkpoint PRIVATE rondo_test_helpers)

# Masks of schemas that people use, which are measured, and documents written by them, which another
# judges.
include(platforms/cmake/python.cmake)
add_executable(rondo_schema_trial tests/runtime/grammar/schema_trial_main.cc)
target_link_libraries(rondo_schema_trial PRIVATE rondo_test_helpers)
if(RONDO_PYTHON3 AND NOT CMAKE_CROSSCOMPILING)
  add_dependencies(rondo_model_tests rondo_schema_trial)
  add_test(NAME model.documents COMMAND "${RONDO_PYTHON3}" -B
    "${PROJECT_SOURCE_DIR}/tests/runtime/grammar/documents.py" "$<TARGET_FILE:rondo_schema_trial>"
    "${RONDO_SHARED_DATA}/tok/tok512" "${RONDO_SHARED_DATA}/schemas/maskbench" 200 3000)
  set_tests_properties(model.documents PROPERTIES LABELS model SKIP_RETURN_CODE 77)
endif()

# Vectors of texts against plain numpy, where that is.
if(RONDO_PYTHON3 AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME model.embed COMMAND "${RONDO_PYTHON3}" -B
    "${PROJECT_SOURCE_DIR}/tests/tools/embed/embed_test.py" "$<TARGET_FILE:rondo_tool>")
  set_tests_properties(model.embed PROPERTIES LABELS model SKIP_RETURN_CODE 77)
endif()

# What README and the guides say, as it is done.
if(RONDO_PYTHON3 AND RONDO_SHARED AND RONDO_SERVE AND RONDO_CHAT AND RONDO_PICTURES STREQUAL "jpeg;png;webp"
   AND NOT CMAKE_CROSSCOMPILING AND NOT RONDO_SANITIZE)
  add_test(NAME model.manual COMMAND "${RONDO_PYTHON3}" -B
    "${PROJECT_SOURCE_DIR}/tests/tools/manual/manual_test.py" "${PROJECT_SOURCE_DIR}"
    "$<TARGET_FILE:rondo_tool>" "$<TARGET_FILE:rondo>")
  set_tests_properties(model.manual PROPERTIES LABELS model COST 20)
endif()

# The page of `rondo serve` in a browser, where that is.
if(RONDO_PYTHON3 AND RONDO_SERVE AND RONDO_CHAT AND RONDO_PICTURES STREQUAL "jpeg;png;webp" AND
   NOT CMAKE_CROSSCOMPILING AND NOT RONDO_SANITIZE)
  add_test(NAME model.page COMMAND "${RONDO_PYTHON3}" -B
    "${PROJECT_SOURCE_DIR}/tests/tools/serve/page_test.py" "$<TARGET_FILE:rondo_tool>"
    "${PROJECT_BINARY_DIR}/page")
  set_tests_properties(model.page PROPERTIES LABELS model SKIP_RETURN_CODE 77 COST 30 TIMEOUT 600)
endif()

# `rondo serve` as its clients see it; replies are validated where OpenAI's schema is.
if(RONDO_SERVE AND RONDO_PYTHON3 AND NOT CMAKE_CROSSCOMPILING)
  foreach(serve IN ITEMS chat messages endpoints dialects operation life batch company leaving
          hostile fuzz clients python_clients)
    set(place "${RONDO_SHARED_DATA}")
    if(serve STREQUAL "clients")
      set(place "${PROJECT_BINARY_DIR}/serve_clients")  # where npm's packages stay
    endif()
    add_test(NAME model.serve.${serve} COMMAND "${RONDO_PYTHON3}" -B
      "${PROJECT_SOURCE_DIR}/tests/tools/serve/${serve}_test.py" "$<TARGET_FILE:rondo_tool>" "${place}")
    set_tests_properties(model.serve.${serve} PROPERTIES LABELS model SKIP_RETURN_CODE 77 COST 20)
  endforeach()
  # What takes minutes is for whole runs: more of the requests that are made up, and what only a
  # clock brings about.
  foreach(serve IN ITEMS fuzz silence)
    add_test(NAME model.serve.long_${serve} COMMAND "${RONDO_PYTHON3}" -B
      "${PROJECT_SOURCE_DIR}/tests/tools/serve/${serve}_test.py" "$<TARGET_FILE:rondo_tool>"
      "${RONDO_SHARED_DATA}")
    set_tests_properties(model.serve.long_${serve} PROPERTIES LABELS long SKIP_RETURN_CODE 77
      COST 300 TIMEOUT 3000 ENVIRONMENT "RONDO_FUZZ_RUNS=100000")
  endforeach()
endif()

# What other programs made of the same checkpoints, where that is: a folder beside the others is a
# test; without any, one tells so. rondo_judges(KIND SCRIPT PATTERN [NAME...]): of the shared data's
# folders KIND/PATTERN those with other names.
function(rondo_judges kind script pattern)
  file(GLOB expected CONFIGURE_DEPENDS "${RONDO_SHARED_DATA}/${kind}/${pattern}/expected.npz")
  if(ARGN)
    list(JOIN ARGN "|" left_out)
    list(FILTER expected EXCLUDE REGEX "/${kind}/(${left_out})/")
  endif()
  if(NOT expected)
    set(expected "${RONDO_SHARED_DATA}/${kind}/any/expected.npz")
  endif()
  foreach(file IN LISTS expected)
    cmake_path(GET file PARENT_PATH folder)
    string(REGEX REPLACE ".*/${kind}/([^/]+)/.*" "\\1" name "${file}")
    add_test(NAME model.${kind}.${name} COMMAND "${RONDO_PYTHON3}" -B
      "${PROJECT_SOURCE_DIR}/tests/tools/judge/${script}" "$<TARGET_FILE:rondo_tool>" "${folder}")
    set_tests_properties(model.${kind}.${name} PROPERTIES LABELS model SKIP_RETURN_CODE 77
      ENVIRONMENT
      "PYTHONPATH=${PROJECT_SOURCE_DIR}/c_api/bindings/python;RONDO_LIBRARY=$<TARGET_FILE:rondo>")
  endforeach()
endfunction()
if(RONDO_PYTHON3 AND RONDO_SHARED AND NOT CMAKE_CROSSCOMPILING AND NOT RONDO_SANITIZE)
  rondo_judges(judge judge_test.py "*")
  # Rows among tokens, by what transformers makes of pictures and sounds. Left out: Qwen3-VL adds
  # rows behind layers, too; an encoder's or a prefix's rows are no rows of a decoder; of Idefics 3
  # not all rows are there.
  rondo_judges(media media_test.py "*/a" qwen3_vl idefics3 paligemma whisper moonshine voxtral
    qwen2_audio qwen3_audio_tower)
endif()

# Times of the parts, in one program: `cmake --build ... --target rondo_benchmarks`. Optional: where
# the system has Google Benchmark.
find_package(benchmark QUIET)
if(benchmark_FOUND)
  file(GLOB_RECURSE benchmarks CONFIGURE_DEPENDS tests/*_benchmark.cc)
  list(FILTER benchmarks EXCLUDE REGEX "/tests/c_api/")
  add_executable(rondo_benchmarks EXCLUDE_FROM_ALL ${benchmarks})
  target_link_libraries(rondo_benchmarks PRIVATE
    rondo_test_helpers rondo_tools benchmark::benchmark_main benchmark::benchmark)
endif()

if(NOT RONDO_SHARED)  # what follows knows the library as a program's loader does
  return()
endif()

# How soon a cancelled call returns: measured, not tested.
add_executable(rondo_cancel_benchmark EXCLUDE_FROM_ALL tests/c_api/cancel_benchmark.cc)
target_link_libraries(rondo_cancel_benchmark PRIVATE rondo_tools)

rondo_test_program(abi 2 3 rondo ${abi} ${abi_c} tests/support/places.cc c_api/handle_table.cc)
add_dependencies(rondo_abi_tests rondo_test_tool)

# The library of a build without patterns, grammars and chat, of this build's objects: linking it
# shows that nothing needs what such a build leaves out.
if(RONDO_PATTERNS AND RONDO_GRAMMARS AND RONDO_CHAT AND NOT RONDO_SANITIZE AND
   CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(runtime_objects $<TARGET_OBJECTS:rondo_runtime> $<TARGET_OBJECTS:rondo_hot>)
  foreach(left_out IN ITEMS "${pattern_sources}" "${grammar_sources}" "${chat_sources}"
          "/unity_(grammar|chat)_")
    set(runtime_objects $<FILTER:${runtime_objects},EXCLUDE,${left_out}>)
  endforeach()
  add_library(rondo_least SHARED runtime/text/regex_absent.cc runtime/grammar/grammar_absent.cc
    runtime/chat/chat_absent.cc ${runtime_objects} $<TARGET_OBJECTS:rondo_c_api>
    $<TARGET_OBJECTS:rondo_kernels> $<TARGET_OBJECTS:rondo_xnnpack>
    $<TARGET_OBJECTS:rondo_pthreadpool> ${RONDO_BUNDLED_OBJECTS})
  target_link_libraries(rondo_least PRIVATE rondo_lean rondo_own rondo_schema rondo_xxhash
    rondo_utf8proc Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(rondo_least PRIVATE -Wl,--no-undefined)
  add_dependencies(rondo_abi_tests rondo_least)

  # Where the table of sizes holds: our release preset.
  if(RONDO_PYTHON3 AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND RONDO_UNITY AND RONDO_UNWIND AND
     NOT RONDO_BUNDLED AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND
     CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O2 -g1 -DNDEBUG")
    set(map "${PROJECT_BINARY_DIR}/librondo.map")
    target_link_options(rondo PRIVATE "-Wl,-Map=${map}")
    add_test(NAME abi.sizes COMMAND "${RONDO_PYTHON3}" -B
      "${PROJECT_SOURCE_DIR}/tests/c_api/sizes_test.py" "${PROJECT_SOURCE_DIR}"
      "${CMAKE_SYSTEM_PROCESSOR}" "${CMAKE_STRIP}" "$<TARGET_FILE:rondo>" "${map}"
      "$<TARGET_FILE:rondo_least>")
    set_tests_properties(abi.sizes PROPERTIES LABELS abi)
  endif()
endif()

# The example programs, which the tests run.
file(GLOB examples CONFIGURE_DEPENDS c_api/examples/*.c)
foreach(source IN LISTS examples)
  cmake_path(GET source STEM name)
  add_executable(rondo_example_${name} ${source})
  target_link_libraries(rondo_example_${name} PRIVATE rondo_own rondo Threads::Threads m)
  add_dependencies(rondo_abi_tests rondo_example_${name})
  rondo_runnable(rondo_example_${name} example)
  string(TOUPPER ${name} upper)
  set_property(SOURCE tests/c_api/generation_test.cc tests/c_api/snapshot_test.cc APPEND PROPERTY
    COMPILE_DEFINITIONS "RONDO_EXAMPLE_${upper}=\"${example}\"")
  list(APPEND example_programs "${name}=${example}")
endforeach()
add_test(NAME abi.examples COMMAND sh "${PROJECT_SOURCE_DIR}/tests/c_api/examples_test.sh"
  "${PROJECT_SOURCE_DIR}" "${tool}" ${example_programs})
set_tests_properties(abi.examples PROPERTIES LABELS abi)

# Every function in every wrong way, written from the API's description.
if(RONDO_PYTHON3)
  set(hostile "${PROJECT_BINARY_DIR}/hostile")
  file(MAKE_DIRECTORY "${hostile}")
  add_custom_command(
    OUTPUT "${hostile}/hostile_calls.inc"
    COMMAND "${RONDO_PYTHON3}" "${PROJECT_SOURCE_DIR}/tests/c_api/make_hostile_calls.py"
            "${PROJECT_SOURCE_DIR}/c_api/abi/api.json"
            "${PROJECT_SOURCE_DIR}/include/rondo/rondo.h" "${hostile}/hostile_calls.inc"
    DEPENDS tests/c_api/make_hostile_calls.py c_api/abi/api.json include/rondo/rondo.h
    COMMENT "Writing hostile_calls.inc" VERBATIM)
  add_custom_target(rondo_hostile_calls DEPENDS "${hostile}/hostile_calls.inc")
  add_executable(rondo_hostile_program
    tests/c_api/hostile_program.c "${hostile}/hostile_calls.inc")
  target_include_directories(rondo_hostile_program PRIVATE "${hostile}")
  target_link_libraries(rondo_hostile_program PRIVATE rondo_own rondo)
  add_dependencies(rondo_abi_tests rondo_hostile_program)
  rondo_runnable(rondo_hostile_program program)
  add_test(NAME abi.hostile COMMAND sh "${PROJECT_SOURCE_DIR}/tests/c_api/with_tiny_model.sh"
    "${PROJECT_SOURCE_DIR}" "${tool}" "${program}")
  set_tests_properties(abi.hostile PROPERTIES LABELS abi)
endif()

# The page of what runs is what the goldens say.
if(RONDO_PYTHON3)
  add_test(NAME unit.coverage COMMAND "${RONDO_PYTHON3}" -B
    "${PROJECT_SOURCE_DIR}/tests/tools/convert/coverage" table --check)
  set_tests_properties(unit.coverage PROPERTIES LABELS unit)
endif()

# The reference of the header, and the test that it tells of everything.
set(reference sh "${PROJECT_SOURCE_DIR}/c_api/reference/make.sh" "${PROJECT_SOURCE_DIR}"
  "${PROJECT_BINARY_DIR}/reference")
add_custom_target(rondo_reference COMMAND ${reference} VERBATIM)
add_test(NAME abi.reference COMMAND ${reference})
set_tests_properties(abi.reference PROPERTIES LABELS abi SKIP_RETURN_CODE 77)

# The site of the manual and the reference: a link that leads nowhere is an error.
set(site sh "${PROJECT_SOURCE_DIR}/tools/manual/site/make.sh" "${PROJECT_BINARY_DIR}/site")
add_custom_target(rondo_site COMMAND ${site} VERBATIM)
add_test(NAME unit.site COMMAND ${site})
set_tests_properties(unit.site PROPERTIES LABELS unit SKIP_RETURN_CODE 77 COST 10)

# The libraries as others see them.
if(NOT RONDO_SANITIZE)
  set(header "${PROJECT_SOURCE_DIR}/include/rondo/rondo.h")
  add_test(NAME abi.exports COMMAND sh "${PROJECT_SOURCE_DIR}/tests/c_api/exports.sh" "${CMAKE_NM}"
    "${CMAKE_C_COMPILER}" "${header}" "$<TARGET_FILE:rondo>" "${RONDO_ARCHIVE}")
  set_tests_properties(abi.exports PROPERTIES LABELS abi)
  if(NOT CMAKE_CROSSCOMPILING)
    add_test(NAME abi.install COMMAND sh "${PROJECT_SOURCE_DIR}/tests/c_api/install_test.sh"
      "${CMAKE_COMMAND}" "${PROJECT_BINARY_DIR}" "${CMAKE_C_COMPILER}" "${PROJECT_SOURCE_DIR}")
    add_test(NAME abi.subproject COMMAND sh "${PROJECT_SOURCE_DIR}/tests/c_api/subproject_test.sh"
      "${CMAKE_COMMAND}" "${CMAKE_C_COMPILER}" "${CMAKE_CXX_COMPILER}" "${PROJECT_SOURCE_DIR}"
      "${xnnpack_SOURCE_DIR}" "${pthreadpool_SOURCE_DIR}" "${fxdiv_SOURCE_DIR}")
    add_test(NAME abi.configure COMMAND sh "${PROJECT_SOURCE_DIR}/tests/c_api/configure_test.sh"
      "${CMAKE_COMMAND}" "${CMAKE_C_COMPILER}" "${CMAKE_CXX_COMPILER}" "${PROJECT_SOURCE_DIR}"
      "${xnnpack_SOURCE_DIR}" "${pthreadpool_SOURCE_DIR}" "${fxdiv_SOURCE_DIR}")
    add_test(NAME abi.header COMMAND sh "${PROJECT_SOURCE_DIR}/tests/c_api/header_test.sh"
      "${PROJECT_SOURCE_DIR}")
    add_test(NAME abi.recorded COMMAND sh "${PROJECT_SOURCE_DIR}/tests/c_api/abi_test.sh"
      "${PROJECT_SOURCE_DIR}" "$<TARGET_FILE:rondo>" "${tool}" "${CMAKE_C_COMPILER}")
    set_tests_properties(abi.install abi.subproject abi.configure abi.header abi.recorded
      PROPERTIES LABELS abi)
    set_tests_properties(abi.configure PROPERTIES COST 40 TIMEOUT 3000)  # a dozen configurations
  endif()
endif()
include(platforms/cmake/bindings_tests.cmake)
