# cmake -DARCHIVER=ar -DSCRIPT=file.mri -P run_archiver.cmake: runs the archiver's script.
execute_process(COMMAND "${ARCHIVER}" -M INPUT_FILE "${SCRIPT}" RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${ARCHIVER} -M failed on ${SCRIPT}")
endif()
