/* Threads as POSIX and Windows have them, as far as waiting.c needs. */
#ifndef RONDO_NODE_THREADS_H_
#define RONDO_NODE_THREADS_H_

#include <stdbool.h>
#include <stdint.h>

enum { THREAD_STACK = 1 << 20, IDLE_SECONDS = 5 };

#ifdef _WIN32
#include <process.h>
#include <windows.h>

struct mutex {
  SRWLOCK raw;
};
struct condition {
  CONDITION_VARIABLE raw;
};
struct thread {
  HANDLE raw;
};
typedef unsigned thread_result;
#define THREAD_CALL __stdcall

static inline void mutex_init(struct mutex* mutex) { InitializeSRWLock(&mutex->raw); }
static inline void mutex_end(struct mutex* mutex) { (void)mutex; }
static inline void lock(struct mutex* mutex) { AcquireSRWLockExclusive(&mutex->raw); }
static inline void unlock(struct mutex* mutex) { ReleaseSRWLockExclusive(&mutex->raw); }
static inline void condition_init(struct condition* condition) {
  InitializeConditionVariable(&condition->raw);
}
static inline void condition_end(struct condition* condition) { (void)condition; }
static inline void wait(struct condition* condition, struct mutex* mutex) {
  SleepConditionVariableSRW(&condition->raw, &mutex->raw, INFINITE, 0);
}
/* False where it has waited for long. */
static inline bool wait_idle(struct condition* condition, struct mutex* mutex) {
  return SleepConditionVariableSRW(&condition->raw, &mutex->raw, IDLE_SECONDS * 1000, 0);
}
static inline void wake_one(struct condition* condition) { WakeConditionVariable(&condition->raw); }
static inline void wake_all(struct condition* condition) {
  WakeAllConditionVariable(&condition->raw);
}
static inline bool thread_start(struct thread* thread, thread_result(THREAD_CALL* run)(void*),
                                void* user) {
  thread->raw = (HANDLE)_beginthreadex(NULL, THREAD_STACK, run, user, 0, NULL);
  return thread->raw != NULL;
}
static inline void thread_join(struct thread* thread) {
  WaitForSingleObject(thread->raw, INFINITE);
  CloseHandle(thread->raw);
}

#else
#include <pthread.h>
#include <time.h>

struct mutex {
  pthread_mutex_t raw;
};
struct condition {
  pthread_cond_t raw;
};
struct thread {
  pthread_t raw;
};
typedef void* thread_result;
#define THREAD_CALL

static inline void mutex_init(struct mutex* mutex) { pthread_mutex_init(&mutex->raw, NULL); }
static inline void mutex_end(struct mutex* mutex) { pthread_mutex_destroy(&mutex->raw); }
static inline void lock(struct mutex* mutex) { pthread_mutex_lock(&mutex->raw); }
static inline void unlock(struct mutex* mutex) { pthread_mutex_unlock(&mutex->raw); }
static inline void condition_init(struct condition* condition) {
  pthread_cond_init(&condition->raw, NULL);
}
static inline void condition_end(struct condition* condition) {
  pthread_cond_destroy(&condition->raw);
}
static inline void wait(struct condition* condition, struct mutex* mutex) {
  pthread_cond_wait(&condition->raw, &mutex->raw);
}
/* False where it has waited for long. */
static inline bool wait_idle(struct condition* condition, struct mutex* mutex) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += IDLE_SECONDS;
  return pthread_cond_timedwait(&condition->raw, &mutex->raw, &until) == 0;
}
static inline void wake_one(struct condition* condition) { pthread_cond_signal(&condition->raw); }
static inline void wake_all(struct condition* condition) {
  pthread_cond_broadcast(&condition->raw);
}
static inline bool thread_start(struct thread* thread, thread_result (*run)(void*), void* user) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, THREAD_STACK);
  const bool started = pthread_create(&thread->raw, &attributes, run, user) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}
static inline void thread_join(struct thread* thread) { pthread_join(thread->raw, NULL); }
#endif

#endif
