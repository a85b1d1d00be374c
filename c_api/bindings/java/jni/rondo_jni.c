/* rondo.h for rondo.Raw. A handle is a long, memory a direct buffer, a callback's `user` the number
 * of the object in rondo.Callbacks that is to be told. The library is opened by its name, so that
 * one that is missing or too old can be told about. */
#include <jni.h>
#include <rondo/rondo.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#define POINTER(handle) ((void*)(intptr_t)(handle))
/* ISO C has no such conversion; JNI and dlsym need it. */
#define FUNCTION(name) __extension__(void*)(name)
#define AT(buffer) ((buffer) == NULL ? NULL : (*env)->GetDirectBufferAddress(env, buffer))

static JavaVM* vm;
static jclass callbacks_class; /* rondo.Callbacks */
static jmethodID on_progress, on_parallel, on_log, on_row;

static jbyteArray bytes_of(JNIEnv* env, const char* text) {
  const size_t count = text == NULL ? 0 : strlen(text);
  jbyteArray array = (*env)->NewByteArray(env, (jsize)count);
  if (array != NULL) (*env)->SetByteArrayRegion(env, array, 0, (jsize)count, (const jbyte*)text);
  return array;
}

/* ---- Callbacks: they come on threads that are in a call of Java's
 * -------------------------------- */

static JNIEnv* here(void) {
  void* env = NULL;
  (*vm)->GetEnv(vm, &env, JNI_VERSION_1_6);
  return env;
}

/* rondo.Callbacks lets nothing out but what a lack of memory or stack throws before its first line,
 * and nothing may be pending while the library goes on. */
static int thrown(JNIEnv* env) {
  if (!(*env)->ExceptionCheck(env)) return 0;
  (*env)->ExceptionClear(env);
  return 1;
}

static int32_t engine_options_progress(void* user, uint64_t done, uint64_t total) {
  JNIEnv* env = here();
  const jint stop = (*env)->CallStaticIntMethod(env, callbacks_class, on_progress,
                                                (jlong)(intptr_t)user, (jlong)done, (jlong)total);
  return thrown(env) || stop;
}

static int32_t image_options_progress(void* user, uint64_t done, uint64_t total) {
  return engine_options_progress(user, done, total);
}

static void engine_options_parallel_for(void* user, size_t count, rondo_task task, void* context) {
  JNIEnv* env = here();
  (*env)->CallStaticVoidMethod(env, callbacks_class, on_parallel, (jlong)(intptr_t)user,
                               (jlong)count, (jlong)(intptr_t)task, (jlong)(intptr_t)context);
  thrown(env);
}

static void engine_options_log(void* user, int32_t level, const char* message) {
  JNIEnv* env = here();
  jbyteArray text = bytes_of(env, message);
  if (text != NULL) {
    (*env)->CallStaticVoidMethod(env, callbacks_class, on_log, (jlong)(intptr_t)user, (jint)level,
                                 text);
  }
  thrown(env);
  (*env)->DeleteLocalRef(env, text);
}

static void logits_row(void* user, size_t index, const float* logits, size_t count) {
  JNIEnv* env = here();
  jfloatArray row = (*env)->NewFloatArray(env, (jsize)count);
  if (row != NULL) {
    (*env)->SetFloatArrayRegion(env, row, 0, (jsize)count, logits);
    (*env)->CallStaticVoidMethod(env, callbacks_class, on_row, (jlong)(intptr_t)user, (jlong)index,
                                 row);
  }
  thrown(env);
  (*env)->DeleteLocalRef(env, row);
}

/* ---- The library's functions
 * ---------------------------------------------------------------------- */

/* FUNCTIONS, `library` with a pointer to each, layouts, callbacks, and natives, which call them. */
#include "functions.h"

#ifdef _WIN32
static void* open_library(const char* path) {
  wchar_t wide[1024];
  if (MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 1024) == 0) return NULL;
  return (void*)LoadLibraryW(wide);
}
static void* find(void* opened, const char* name) {
  return (void*)(intptr_t)GetProcAddress((HMODULE)opened, name);
}
static const char* why(void) {
  static char text[48];
  snprintf(text, sizeof text, "error %lu of Windows", (unsigned long)GetLastError());
  return text;
}
#else
static void* open_library(const char* path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void* find(void* opened, const char* name) { return dlsym(opened, name); }
static const char* why(void) {
  const char* text = dlerror();
  return text != NULL ? text : "the system says nothing of why";
}
#endif

/* Opens the library of this name, zero-terminated; null, or why that fails. */
static jbyteArray JNICALL bind_library(JNIEnv* env, jclass self, jobject path) {
  (void)self;
  void* opened = open_library(AT(path));
  if (opened == NULL) return bytes_of(env, why());
#define BIND(name)                                                           \
  {                                                                          \
    void* at = find(opened, #name);                                          \
    if (at == NULL) return bytes_of(env, "it is too old: it has no " #name); \
    memcpy(&library.name, &at, sizeof at);                                   \
  }
  FUNCTIONS(BIND)
  return NULL;
}

/* ---- Memory
 * --------------------------------------------------------------------------------------- */

static jlong JNICALL address(JNIEnv* env, jclass self, jobject buffer) {
  (void)self;
  return (jlong)(intptr_t)AT(buffer);
}

static jlong JNICALL callback(JNIEnv* env, jclass self, jint number) {
  (void)env, (void)self;
  return (jlong)(intptr_t)callbacks[number];
}

static jintArray JNICALL layouts_of(JNIEnv* env, jclass self) {
  (void)self;
  const jsize count = (jsize)(sizeof layouts / sizeof *layouts);
  jintArray array = (*env)->NewIntArray(env, count);
  if (array != NULL) (*env)->SetIntArrayRegion(env, array, 0, count, layouts);
  return array;
}

static jint JNICALL pointer_bytes(JNIEnv* env, jclass self) {
  (void)env, (void)self;
  return (jint)sizeof(void*);
}

static jbyteArray JNICALL text_at(JNIEnv* env, jclass self, jlong at) {
  (void)self;
  return bytes_of(env, POINTER(at));
}

static void JNICALL copy_bytes(JNIEnv* env, jclass self, jlong at, jbyteArray to) {
  (void)self;
  (*env)->SetByteArrayRegion(env, to, 0, (*env)->GetArrayLength(env, to), POINTER(at));
}

static void JNICALL copy_floats(JNIEnv* env, jclass self, jlong at, jfloatArray to) {
  (void)self;
  (*env)->SetFloatArrayRegion(env, to, 0, (*env)->GetArrayLength(env, to), POINTER(at));
}

static void JNICALL run_task(JNIEnv* env, jclass self, jlong task, jlong context, jlong index) {
  (void)env, (void)self;
  rondo_task run;
  void* at = POINTER(task);
  memcpy(&run, &at, sizeof at);
  run(POINTER(context), (size_t)index);
}

static const JNINativeMethod own[] = {
    {(char*)"bind", (char*)"(Ljava/nio/ByteBuffer;)[B", FUNCTION(bind_library)},
    {(char*)"address", (char*)"(Ljava/nio/ByteBuffer;)J", FUNCTION(address)},
    {(char*)"callback", (char*)"(I)J", FUNCTION(callback)},
    {(char*)"layoutsOf", (char*)"()[I", FUNCTION(layouts_of)},
    {(char*)"pointerBytes", (char*)"()I", FUNCTION(pointer_bytes)},
    {(char*)"textAt", (char*)"(J)[B", FUNCTION(text_at)},
    {(char*)"copy", (char*)"(J[B)V", FUNCTION(copy_bytes)},
    {(char*)"copy", (char*)"(J[F)V", FUNCTION(copy_floats)},
    {(char*)"runTask", (char*)"(JJJ)V", FUNCTION(run_task)},
};

#define COUNT(array) (jint)(sizeof(array) / sizeof *(array))

/* Of the class loader that loads this file. */
JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* machine, void* reserved) {
  (void)reserved;
  vm = machine;
  JNIEnv* env = here();
  jclass found = (*env)->FindClass(env, "rondo/Natives");
  if (found == NULL || (*env)->RegisterNatives(env, found, own, COUNT(own)) != 0) return JNI_ERR;
  found = (*env)->FindClass(env, "rondo/Raw");
  if (found == NULL || (*env)->RegisterNatives(env, found, natives, COUNT(natives)) != 0)
    return JNI_ERR;
  found = (*env)->FindClass(env, "rondo/Callbacks");
  if (found == NULL) return JNI_ERR;
  callbacks_class = (*env)->NewGlobalRef(env, found);
  on_progress = (*env)->GetStaticMethodID(env, found, "progress", "(JJJ)I");
  on_parallel = (*env)->GetStaticMethodID(env, found, "parallel", "(JJJJ)V");
  on_log = (*env)->GetStaticMethodID(env, found, "log", "(JI[B)V");
  on_row = (*env)->GetStaticMethodID(env, found, "row", "(JJ[F)V");
  if ((*env)->ExceptionCheck(env)) return JNI_ERR;
  return JNI_VERSION_1_6;
}
