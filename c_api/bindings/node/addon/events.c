/* Several tokens in one call of JavaScript's: what is wanted as a whole does not wait for it
 * between two, so that sessions stay together in their passes. */
#include <stdlib.h>
#include <string.h>

#include "rondo_node.h"

/* Of the thread that computes: no exception. */
static const char* copied(struct call* call, const char* bytes, size_t count) {
  struct kept* kept = malloc(16 + count + 1);
  if (kept == NULL) return NULL;
  kept->next = call->kept;
  call->kept = kept;
  if (count > 0) memcpy((char*)kept + 16, bytes, count);
  return (char*)kept + 16;
}

/* Up to `most` events, and none behind the one with a reason. */
static int32_t run(const struct library* library, union slot* slots) {
  struct call* call = (struct call*)slots[2].p;
  struct kept* kept = malloc(16 + slots[1].u32 * sizeof(rondo_event));
  if (kept == NULL) return RONDO_STATUS_OUT_OF_MEMORY;
  kept->next = call->kept;
  call->kept = kept;
  call->out[2].p = (char*)kept + 16;
  call->out[1].size = 0;
  for (uint32_t i = 0; i < slots[1].u32; ++i) {
    rondo_event* event = (rondo_event*)call->out[2].p + i;
    event->struct_size = sizeof *event;
    if (i > 0 && !begin(call)) return RONDO_STATUS_CANCELLED;
    const int32_t status = library->rondo_session_next((rondo_session*)slots[0].p, event);
    if (status != RONDO_STATUS_OK) return status;
    event->bytes = copied(call, event->bytes, event->bytes_count);
    event->text = copied(call, event->text, event->text_bytes);
    if (event->bytes == NULL || event->text == NULL) return RONDO_STATUS_OUT_OF_MEMORY;
    call->out[1].size = i + 1;
    if (event->reason != RONDO_REASON_NONE) break;
  }
  return RONDO_STATUS_OK;
}

napi_value written_events(napi_env env, struct call* call, size_t i) {
  napi_value array = NULL;
  const rondo_event* events = call->out[i].p;
  napi_create_array_with_length(env, call->out[i - 1].size, &array);
  for (size_t j = 0; j < call->out[i - 1].size; ++j) {
    napi_set_element(env, array, (uint32_t)j, written_struct(env, event_structure, &events[j]));
  }
  return array;
}

static const struct param params[] = {
    {.name = "session", .kind = KIND_HANDLE, .handle = HANDLE_SESSION},
    {.name = "most", .kind = KIND_U32},
    {.name = "events", .kind = OUT_EVENTS}};
const struct function next_events = {"next_events", RESULT_STATUS, true, true, 3, params, run};
