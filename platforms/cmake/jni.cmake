# The glue between the library and Java or Kotlin. It opens the library when it runs.
add_library(rondo_jni SHARED c_api/bindings/java/jni/rondo_jni.c)
target_link_libraries(rondo_jni PRIVATE rondo_own ${CMAKE_DL_LIBS})
target_include_directories(rondo_jni PRIVATE include)
if(NOT ANDROID)  # whose compiler knows jni.h
  # FindJNI wants libraries, too, which a headless JDK has not; jni.h is beside javac.
  find_program(RONDO_JAVAC javac REQUIRED)
  get_filename_component(javac "${RONDO_JAVAC}" REALPATH)
  get_filename_component(java_home "${javac}/../.." ABSOLUTE)
  find_path(RONDO_JNI_INCLUDE jni.h HINTS "${java_home}/include" REQUIRED)
  file(GLOB jni_md "${RONDO_JNI_INCLUDE}/*/jni_md.h")
  foreach(header IN LISTS jni_md)
    get_filename_component(folder "${header}" DIRECTORY)
    target_include_directories(rondo_jni SYSTEM PRIVATE "${folder}")
  endforeach()
  target_include_directories(rondo_jni SYSTEM PRIVATE "${RONDO_JNI_INCLUDE}")
endif()
