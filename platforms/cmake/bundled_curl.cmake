# What `rondo pull` downloads with, where nothing is taken from the system: libcurl with HTTP alone, whose
# TLS is the system's on Windows (Schannel, with the certificates that Windows trusts) and Mbed TLS
# elsewhere; and Mbed TLS's checksums.

rondo_bundled(mbedtls m/mbedtls/mbedtls_3.6.6.orig.tar.bz2
  8fb65fae8dcae5840f793c0a334860a411f884cc537ea290ce1c52bb64ca007a include/mbedtls/ssl.h)
rondo_bundled(curl c/curl/curl_8.14.1.orig.tar.gz
  6766ada7101d292b42b8b15681120acd68effa4a9660935853cf6d61f0d984d4 include/curl/curl.h)

function(_rondo_add_curl)
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)  # what is set here is what their option() takes
  set(BUILD_SHARED_LIBS OFF)

  set(ENABLE_PROGRAMS OFF)
  set(ENABLE_TESTING OFF)
  set(DISABLE_PACKAGE_CONFIG_AND_INSTALL ON)
  add_subdirectory("${mbedtls_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/mbedtls" EXCLUDE_FROM_ALL)

  foreach(name BUILD_CURL_EXE BUILD_LIBCURL_DOCS BUILD_MISC_DOCS BUILD_TESTING CURL_BROTLI
          CURL_ENABLE_EXPORT_TARGET CURL_USE_LIBPSL CURL_USE_LIBSSH2 CURL_USE_OPENSSL CURL_USE_PKGCONFIG
          CURL_ZLIB CURL_ZSTD ENABLE_CURL_MANUAL ENABLE_UNIX_SOCKETS USE_LIBIDN2 USE_NGHTTP2)
    set(${name} OFF)
  endforeach()
  foreach(name BUILD_STATIC_LIBS CURL_DISABLE_INSTALL CURL_DISABLE_NTLM CURL_DISABLE_WEBSOCKETS HTTP_ONLY)
    set(${name} ON)
  endforeach()
  if(WIN32)
    set(CURL_USE_SCHANNEL ON)
    set(CURL_TARGET_WINDOWS_VERSION 0x0A00)
  else()
    set(CURL_USE_MBEDTLS ON)
    set(MBEDTLS_INCLUDE_DIR "${mbedtls_SOURCE_DIR}/include")
    set(MBEDTLS_LIBRARY mbedtls)
    set(MBEDX509_LIBRARY mbedx509)
    set(MBEDCRYPTO_LIBRARY mbedcrypto)
    set(CURL_CA_BUNDLE "/etc/ssl/certs/ca-certificates.crt")  # where most have them
    set(CURL_CA_PATH none)
  endif()
  add_subdirectory("${curl_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/curl" EXCLUDE_FROM_ALL)
endfunction()
_rondo_add_curl()

add_library(rondo_curl INTERFACE)
target_include_directories(rondo_curl SYSTEM
  INTERFACE "${curl_SOURCE_DIR}/include" "${mbedtls_SOURCE_DIR}/include")
target_compile_definitions(rondo_curl INTERFACE CURL_STATICLIB)
target_link_libraries(rondo_curl INTERFACE CURL::libcurl mbedcrypto)
set(RONDO_PULL ON)
