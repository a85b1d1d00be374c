# The API's description for generators of bindings, held against the header.
find_program(RONDO_PYTHON3 python3)
if(RONDO_PYTHON3)
  add_test(NAME abi.description COMMAND "${RONDO_PYTHON3}"
    "${CMAKE_SOURCE_DIR}/c_api/abi/check_api.py"
    "${CMAKE_SOURCE_DIR}/include/rondo/rondo.h" "${CMAKE_SOURCE_DIR}/c_api/abi/api.json")
  set_tests_properties(abi.description PROPERTIES LABELS abi ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
else()
  message(STATUS "No python3: the API's description and the bindings are not tested")
endif()
