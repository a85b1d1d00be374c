/* A library of tomorrow in front of today's: it tells a reason, a channel, a part of an answer and
 * a status that no binding knows yet. test.sh compiles it, and runs each binding with it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <rondo/rondo.h>
#include <string.h>

enum { kOfTomorrow = 1000 };

int32_t rondo_session_next(rondo_session* session, rondo_event* event) {
  int32_t (*today)(rondo_session*, rondo_event*);
  *(void**)&today = dlsym(RTLD_NEXT, "rondo_session_next");
  const int32_t status = today(session, event);
  if (event->reason == RONDO_REASON_TOKEN_LIMIT) event->reason = event->channel = kOfTomorrow;
  return status;
}

int32_t rondo_chat_parser_next(rondo_chat_parser* parser, rondo_chat_part* part) {
  int32_t (*today)(rondo_chat_parser*, rondo_chat_part*);
  *(void**)&today = dlsym(RTLD_NEXT, "rondo_chat_parser_next");
  const int32_t status = today(parser, part);
  if (part->kind == RONDO_CHAT_PART_CONTENT) part->kind = kOfTomorrow;
  return status;
}

int32_t rondo_query(const char* name, int64_t* value) {
  int32_t (*today)(const char*, int64_t*);
  *(void**)&today = dlsym(RTLD_NEXT, "rondo_query");
  return strcmp(name, "of tomorrow") == 0 ? kOfTomorrow : today(name, value);
}
