/* The start of a program on qemu's mps3-an547, a Cortex-M55: vectors, floats, memory; and the
 * calls to the debugger's host with which it prints, ends and tells the time. */
#include "start.h"

#include <stddef.h>
#include <stdint.h>

extern uint32_t stack_end, bss_begin, bss_end;
void __libc_init_array(void);
int main(void);

static int host_call(int number, const void* argument) {
  register int r0 __asm__("r0") = number;
  register const void* r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void print(const char* text) { host_call(4, text); } /* SYS_WRITE0 */

void end_program(int status) {
  const uint32_t arguments[] = {0x20026, (uint32_t)status}; /* ADP_Stopped_ApplicationExit */
  for (;;) host_call(0x20, arguments);                      /* SYS_EXIT_EXTENDED */
}

/* SYS_ELAPSED, whose ticks are nanoseconds on qemu. */
uint64_t rondo_host_now_ns(void) {
  uint64_t ticks = 0;
  host_call(0x30, &ticks);
  return ticks;
}

static void fault(void) {
  print("\nfault\n");
  end_program(3);
}

/* newlib's: memory for what the library makes when a model is opened and an engine is created. */
static unsigned char heap[4 << 20];
static size_t heap_used;
unsigned heap_calls;

void* _sbrk(ptrdiff_t bytes) {
  void* const begin = heap + heap_used;
  if (bytes > 0 && (size_t)bytes > sizeof heap - heap_used) return (void*)-1;
  heap_used += (size_t)bytes;
  return begin;
}

void* __real__malloc_r(void* reent, size_t bytes);
void* __wrap__malloc_r(void* reent, size_t bytes) {
  ++heap_calls;
  return __real__malloc_r(reent, bytes);
}

size_t heap_bytes(void) { return heap_used; }

/* What newlib asks of a system. */
int _close(int file) { return (void)file, -1; }
int _fstat(int file, void* status) { return (void)file, (void)status, -1; }
int _isatty(int file) { return (void)file, 0; }
int _lseek(int file, int offset, int whence) { return (void)file, (void)offset, (void)whence, 0; }
int _read(int file, void* bytes, size_t n) { return (void)file, (void)bytes, (void)n, 0; }
int _write(int file, const void* bytes, size_t n) { return (void)file, (void)bytes, (int)n; }
int _kill(int process, int signal) { return (void)process, (void)signal, -1; }
int _getpid(void) { return 1; }
void _exit(int status) {
  end_program(status);
  for (;;) {
  }
}
void _init(void) {}
void _fini(void) {}
void* __dso_handle;

__attribute__((noreturn)) void reset(void) {
  *(volatile uint32_t*)0xE000ED88 |= 0xFu << 20; /* CPACR: floats and vectors */
  __asm__ volatile("dsb\n\tisb");
  for (uint32_t* p = &bss_begin; p < &bss_end; ++p) *p = 0;
  __libc_init_array();
  end_program(main());
  for (;;) {
  }
}

__attribute__((section(".vectors"), used)) static const void* const vectors[16] = {
    &stack_end,         (const void*)reset, (const void*)fault, (const void*)fault,
    (const void*)fault, (const void*)fault, (const void*)fault,
};
