# The glue between the library and Java or Kotlin. It opens the library when it runs.
add_library(rondo_jni SHARED c_api/bindings/java/jni/rondo_jni.c)
target_link_libraries(rondo_jni PRIVATE rondo_own ${CMAKE_DL_LIBS})
target_include_directories(rondo_jni PRIVATE include)
if(NOT ANDROID)  # whose compiler knows jni.h
  find_package(JNI REQUIRED)
  target_include_directories(rondo_jni SYSTEM PRIVATE ${JNI_INCLUDE_DIRS})
endif()
