# RONDO_PYTHON3: the python3 that has what judges of the tests are written with; where none has, the
# first, whose tests of that kind skip.
function(rondo_python_has_judges result candidate)
  execute_process(COMMAND "${candidate}" -c "import numpy, jsonschema" RESULT_VARIABLE failed
    OUTPUT_QUIET ERROR_QUIET)
  if(NOT failed EQUAL 0)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()
find_program(RONDO_PYTHON3 python3 VALIDATOR rondo_python_has_judges)
find_program(RONDO_PYTHON3 python3)
