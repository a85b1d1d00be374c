# The glue between the library and Kotlin or Java.
add_library(rondo_jni SHARED c_api/bindings/kotlin/jni/rondo_jni.c)
target_link_libraries(rondo_jni PRIVATE rondo_own rondo)
if(NOT ANDROID)  # whose compiler knows jni.h
  find_package(JNI REQUIRED)
  target_include_directories(rondo_jni SYSTEM PRIVATE ${JNI_INCLUDE_DIRS})
endif()
