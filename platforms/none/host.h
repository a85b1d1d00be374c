/* What a program without an operating system gives to Rondo. C99. */
#ifndef RONDO_NONE_HOST_H
#define RONDO_NONE_HOST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds since some moment, never fewer than before. Where the program has none, time stands
 * still: statistics are then 0, and duty_percent leaves no rest between passes. */
uint64_t rondo_host_now_ns(void);

#ifdef __cplusplus
}
#endif

#endif
