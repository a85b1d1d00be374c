/* The addon: what it exports, and the shared library that it opens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rondo_node.h"

#ifdef _WIN32
#include <windows.h>
static void* find(void* shared, const char* name) {
  return (void*)(uintptr_t)GetProcAddress((HMODULE)shared, name);
}
static void* open_shared(const char* path, char* why, size_t bytes) {
  wchar_t wide[MAX_PATH * 4];
  MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, MAX_PATH * 4);
  void* shared = (void*)LoadLibraryW(wide);
  if (shared == NULL) snprintf(why, bytes, "%s: the system's error %lu", path, GetLastError());
  return shared;
}
#else
#include <dlfcn.h>
static void* find(void* shared, const char* name) { return dlsym(shared, name); }
static void* open_shared(const char* path, char* why, size_t bytes) {
  void* shared = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (shared == NULL) snprintf(why, bytes, "%s", dlerror());
  return shared;
}
#endif

/* load(path, makeError, functions): puts the library's functions into the object `functions`; gives
 * a text that says why it failed, or nothing. It stays loaded as long as the process lives: engines
 * have threads in it. */
static napi_value load(napi_env env, napi_callback_info info) {
  size_t argc = 3;
  napi_value argv[3], why = NULL;
  char path[4096] = "", reason[1024] = "";
  void* data;
  napi_get_cb_info(env, info, &argc, argv, NULL, NULL);
  napi_get_instance_data(env, &data);
  struct environment* environment = data;
  napi_get_value_string_utf8(env, argv[0], path, sizeof path, NULL);
  void* shared = open_shared(path, reason, sizeof reason);
  if (shared != NULL) {
    struct library* library = NULL;
    const char* missing = fill_library(&library, find, shared);
    environment->library = library;
    if (missing != NULL) {
      snprintf(reason, sizeof reason, "%s has no %s: it is older than this package", path, missing);
    }
  }
  if (reason[0] != 0) {
    napi_create_string_utf8(env, reason, NAPI_AUTO_LENGTH, &why);
    return why;
  }
  napi_create_reference(env, argv[1], 1, &environment->make_error);
  for (size_t i = 0; i <= n_functions; ++i) {
    const struct function* each = i < n_functions ? &functions[i] : &next_events;
    napi_value function;
    napi_create_function(env, each->name, NAPI_AUTO_LENGTH, invoke, (void*)each, &function);
    napi_set_named_property(env, argv[2], each->name, function);
  }
  return NULL;
}

/* The number of the call that began last, for cancel(). */
static napi_value last_call(napi_env env, napi_callback_info info) {
  napi_value result;
  void* data;
  (void)info;
  napi_get_instance_data(env, &data);
  napi_create_uint32(env, ((struct environment*)data)->last_id, &result);
  return result;
}

/* cancel(number): ends this call, where it still runs or waits, and no other. */
static napi_value cancel_call(napi_env env, napi_callback_info info) {
  size_t argc = 1;
  napi_value argv[1];
  uint32_t id = 0;
  void* data;
  napi_get_cb_info(env, info, &argc, argv, NULL, NULL);
  napi_get_instance_data(env, &data);
  if (argc < 1 || napi_get_value_uint32(env, argv[0], &id) != napi_ok) return NULL;
  struct call* call = running_call(data, id);
  if (call != NULL) cancel(call);
  return NULL;
}

static void finalize(napi_env env, void* data, void* hint) {
  (void)env;
  (void)hint;
  drop_environment(data);
}

NAPI_MODULE_INIT() {
  const napi_property_descriptor properties[] = {
      {"load", NULL, load, NULL, NULL, NULL, napi_enumerable, NULL},
      {"lastCall", NULL, last_call, NULL, NULL, NULL, napi_enumerable, NULL},
      {"cancel", NULL, cancel_call, NULL, NULL, NULL, napi_enumerable, NULL}};
  struct environment* environment = calloc(1, sizeof *environment);
  if (environment == NULL) return NULL;
  environment->env = env;
  environment->users = 1;
  if (!start_waiting(env, environment)) return NULL;
  napi_set_instance_data(env, environment, finalize, NULL);
  napi_define_properties(env, exports, 3, properties);
  return exports;
}
