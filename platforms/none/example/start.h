#ifndef RONDO_EXAMPLE_START_H
#define RONDO_EXAMPLE_START_H

#include <stddef.h>
#include <stdint.h>

void print(const char* text); /* to the debugger's host */
void end_program(int status);
extern unsigned heap_calls; /* of malloc so far */
size_t heap_bytes(void);    /* that these took */
uint64_t rondo_host_now_ns(void);

#endif
