# pthreadpool, without cpuinfo: the number of threads is always given, and the kernels' choice by
# microarchitecture is not used. On Windows it is upon the system's own events, where what is changed
# below for pthreads.c does not apply.
if(RONDO_SERIAL)  # its header alone, which XNNPACK's include
  add_library(rondo_pthreadpool INTERFACE)
  target_include_directories(rondo_pthreadpool SYSTEM INTERFACE
    "${pthreadpool_SOURCE_DIR}/include")
  add_library(Threads::Threads INTERFACE IMPORTED)
  return()
endif()
find_package(Threads REQUIRED)

# The sources are copied and changed for programs that share their cores with others.
set(pthreadpool_copy "${PROJECT_BINARY_DIR}/pthreadpool")
file(COPY "${pthreadpool_SOURCE_DIR}/src/" DESTINATION "${pthreadpool_copy}")
# _rondo_change_pthreadpool(FILE OLD NEW [OLD NEW]...)
function(_rondo_change_pthreadpool file)
  file(READ "${pthreadpool_SOURCE_DIR}/src/${file}" source)
  set(i 1)
  while(i LESS ARGC)
    math(EXPR next "${i} + 1")
    string(REPLACE "${ARGV${i}}" "${ARGV${next}}" changed "${source}")
    if(changed STREQUAL source)
      message(FATAL_ERROR "pthreadpool's ${file} is not the pinned one: it has no ${ARGV${i}}")
    endif()
    set(source "${changed}")
    math(EXPR i "${i} + 2")
  endwhile()
  file(CONFIGURE OUTPUT "${pthreadpool_copy}/${file}" CONTENT "${source}" @ONLY)
endfunction()

# Its threads look a million times before they sleep: some 50 ms on an x86, in which a core that is
# shared with other work is lost to both.
set(look "for (uint32_t i = PTHREADPOOL_SPIN_WAIT_ITERATIONS; i != 0; i--) {")
set(look_in_time "uint64_t until = 0;
	for (uint32_t i = 0; rondo_stays_awake(i, &until); i++) {")
set(include "#include \"threadpool-utils.h\"")
if(WIN32)
  _rondo_change_pthreadpool(windows.c
    "${include}" "${include}\n#include \"platforms/cmake/pthreadpool_spin.h\""
    "${look}" "${look_in_time}")
else()
# Commands are numbered: two numbers in turn hide one from a worker that missed the one before it.
set(field "	pthreadpool_atomic_uint32_t command;")
_rondo_change_pthreadpool(threadpool-object.h
  "THREADPOOL_COMMAND_MASK UINT32_C(0x7FFFFFFF)" "THREADPOOL_COMMAND_MASK UINT32_C(0xF)"
  "${field}" "${field}\n	pthreadpool_atomic_uint32_t sleepers; /* pthreadpool_changes.h */")

set(command "pthreadpool_store_release_uint32_t(&threadpool->command, new_command);")
set(all "pthreadpool_store_relaxed_size_t(&threadpool->active_threads, threads_count")
set(create "pthread_create(&threadpool->threads[tid].thread_object, NULL, &thread_main, \
&threadpool->threads[tid])")
set(finished "/* Notify the master thread that we finished processing */
		checkin_worker_thread(threadpool);")
set(wait "/* Wait until the threads finish computation */
	wait_worker_threads(threadpool);")
set(sleep_done "futex_wait(&threadpool->has_active_threads, 1);")
set(sleep_command "futex_wait(&threadpool->command, last_command);")
set(wake_done "futex_wake_all(&threadpool->has_active_threads);")
set(wake_command "futex_wake_all(&threadpool->command);")
_rondo_change_pthreadpool(pthreads.c
  "${include}" "${include}\n#include \"platforms/cmake/pthreadpool_changes.h\""
  "${look}" "${look_in_time}"
  # A wake that wakes nobody is a call of the system all the same.
  "${sleep_done}" "rondo_sleepers(&threadpool->sleepers, 1);
			${sleep_done}
			rondo_sleepers(&threadpool->sleepers, -1);"
  "${sleep_command}" "rondo_sleepers(&threadpool->sleepers, 1);
			${sleep_command}
			rondo_sleepers(&threadpool->sleepers, -1);"
  "${wake_done}" "if (rondo_sleepers(&threadpool->sleepers, 0)) ${wake_done}"
  "${wake_command}" "if (rondo_sleepers(&threadpool->sleepers, 0)) ${wake_command}"
  # Who is at work in a command: pthreadpool_changes.h.
  "active_threads) == 0" "active_threads) == RONDO_CLOSED"
  "(active_threads == 0" "(active_threads == RONDO_CLOSED"
  "active_threads) != 0" "active_threads) != RONDO_CLOSED"
  "	${all}.value - 1 /* caller thread */);\n" ""
  "	${command}" "	pthreadpool_store_release_size_t(&threadpool->active_threads, 0);\n	${command}"
  "~(old_command | THREADPOOL_COMMAND_MASK) | threadpool_command_parallelize"
  "((old_command | THREADPOOL_COMMAND_MASK) + 1) | threadpool_command_parallelize"
  "${all} - 1 /* caller thread */);" "${all} - 1 | RONDO_CLOSED);"
  "				const thread_function_t"
  "				if (!rondo_join_command(&threadpool->active_threads)) {
					last_command = command;
					continue;
				}
				const thread_function_t"
  "${finished}" "${finished}\n		rondo_give_way(&last_way);"
  "	uint32_t flags = 0;\n" "	uint32_t flags = 0;\n	uint64_t last_way = 0;\n"
  "${wait}" "if (!rondo_close_command(&threadpool->active_threads)) wait_worker_threads(threadpool);"
  # It waits without end for threads that could not be started. The creator now checks in for them,
  # and the pool is as large as it could become.
  "${create};" "if (rondo_create_worker(&threadpool->threads[tid].thread_object, &thread_main,
					&threadpool->threads[tid]) != 0) {
				threadpool->threads_count = fxdiv_init_size_t(tid);
				for (size_t missing = tid; missing < threads_count; missing++) {
					checkin_worker_thread(threadpool);
				}
				break;
			}")

endif()

add_library(rondo_pthreadpool OBJECT
  "${pthreadpool_copy}/memory.c"
  "${pthreadpool_copy}/portable-api.c"
  "${pthreadpool_copy}/$<IF:$<BOOL:${WIN32}>,windows,pthreads>.c")
set_target_properties(rondo_pthreadpool PROPERTIES C_STANDARD 11)
target_include_directories(rondo_pthreadpool SYSTEM
  PUBLIC "${pthreadpool_SOURCE_DIR}/include"
  PRIVATE "${pthreadpool_copy}" "${fxdiv_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}")
target_compile_definitions(rondo_pthreadpool
  PUBLIC PTHREADPOOL_NO_DEPRECATED_API=1
  PRIVATE PTHREADPOOL_USE_CPUINFO=0 PTHREADPOOL_USE_FASTPATH=0 PTHREADPOOL_USE_GCD=0)
target_link_libraries(rondo_pthreadpool PUBLIC Threads::Threads PRIVATE rondo_foreign)
