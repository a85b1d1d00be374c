/* Calls of the library: arguments by the table, the call itself, and what it gives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rondo_node.h"

static bool is_buffer(enum kind kind) {
  return kind == OUT_TEXT || kind == OUT_IDS || kind == OUT_BYTES || kind == OUT_WANTED_TEXT ||
         kind == OUT_WANTED_IDS;
}

static bool is_text(enum kind kind) { return kind == OUT_TEXT || kind == OUT_WANTED_TEXT; }

/* Whether JavaScript gives an argument for such a parameter. */
static bool is_given(enum kind kind) {
  switch (kind) {
    case PARAM_ABI_VERSION:
    case PARAM_NULL:
    case PARAM_FILLED:
    case PARAM_CREATE:
    case PARAM_MESSAGE:
    case OUT_STRUCT:
    case OUT_U32:
    case OUT_I32:
    case OUT_U64:
    case OUT_I64:
    case OUT_TEXT:
    case OUT_IDS:
    case OUT_BYTES:
    case OUT_FLOATS:
    case OUT_EVENTS:
    case OUT_BORROWED:
      return false;
    default:
      return true;
  }
}

static bool read_handles(napi_env env, const struct param* param, napi_value array,
                         struct call* call, union slot* slot) {
  uint32_t count = 0;
  if (!read_elements(env, param->name, array, &count)) return false;
  const void** raws = keep(env, call, count * sizeof *raws);
  if (raws == NULL) return false;
  for (uint32_t i = 0; i < count; ++i) {
    napi_value element;
    napi_get_element(env, array, i, &element);
    struct handle* handle = handle_of(env, param->name, param->handle, element);
    if (handle == NULL || !use_handle(env, call, handle)) return false;
    raws[i] = handle->raw;
  }
  slot[0].p = raws;
  slot[1].size = count;
  return true;
}

static bool read_structs(napi_env env, const struct param* param, napi_value array,
                         struct call* call, union slot* slot) {
  uint32_t count = 0;
  if (!read_elements(env, param->name, array, &count)) return false;
  char* structs = keep(env, call, count * param->structure->size);
  if (structs == NULL) return false;
  for (uint32_t i = 0; i < count; ++i) {
    napi_value element;
    napi_get_element(env, array, i, &element);
    if (!read_struct(env, element, param->structure, call, structs + i * param->structure->size)) {
      return false;
    }
  }
  slot[0].p = structs;
  slot[1].size = count;
  return true;
}

static bool read_sizes(napi_env env, const struct param* param, napi_value array, struct call* call,
                       union slot* slot) {
  uint32_t count = 0;
  if (!read_elements(env, param->name, array, &count)) return false;
  size_t* sizes = keep(env, call, count * sizeof *sizes);
  if (sizes == NULL) return false;
  for (uint32_t i = 0; i < count; ++i) {
    napi_value element;
    napi_get_element(env, array, i, &element);
    if (!read_number(env, param->name, KIND_SIZE, element, &sizes[i])) return false;
  }
  slot[0].p = sizes;
  slot[1].size = count;
  return true;
}

static bool read_function(napi_env env, const struct param* param, napi_value value,
                          struct call* call, union slot* slot) {
  napi_valuetype is;
  napi_typeof(env, value, &is);
  if (is != napi_function) return refuse(env, true, param->name, "a function", value);
  slot[1].p = call;
  return napi_create_reference(env, value, 1, &call->callback) == napi_ok;
}

static bool read_argument(napi_env env, size_t i, napi_value value, struct call* call) {
  const struct param* param = &call->function->params[i];
  union slot* slot = &call->slots[i];
  size_t length = 0;
  napi_valuetype is;
  switch (param->kind) {
    case PARAM_CLOSE:
    case KIND_HANDLE: {
      struct handle* handle = handle_of(env, param->name, param->handle, value);
      if (handle == NULL || !use_handle(env, call, handle)) return false;
      slot->p = handle->raw;
      return true;
    }
    case KIND_TEXT:
      napi_typeof(env, value, &is);
      if (is == napi_undefined || is == napi_null) return true;
      return read_string(env, param->name, value, true, call, (const char**)&slot->p, &length);
    case KIND_STRING:
      return read_string(env, param->name, value, false, call, (const char**)&slot->p,
                         &slot[1].size);
    case KIND_BYTES:
      return read_data(env, param->name, value, napi_uint8_array, call, &slot->p, &slot[1].size);
    case PARAM_IDS:
      if (!read_data(env, param->name, value, napi_int32_array, call, &slot->p, &slot[1].size)) {
        return false;
      }
      call->hint += 8 * slot[1].size;
      return true;
    case PARAM_BARE_IDS:
      return read_data(env, param->name, value, napi_int32_array, call, &slot->p, &length);
    case PARAM_SIZES:
      return read_sizes(env, param, value, call, slot);
    case PARAM_HANDLES:
      return read_handles(env, param, value, call, slot);
    case PARAM_STRUCTS:
      return read_structs(env, param, value, call, slot);
    case PARAM_STRUCT: {
      void* structure = keep(env, call, param->structure->size);
      slot->p = structure;
      return structure != NULL && read_struct(env, value, param->structure, call, structure);
    }
    case PARAM_ROW:
      return read_function(env, param, value, call, slot);
    case KIND_ENUM:
      return read_enum(env, param->name, param->enumeration, value, &slot->i32);
    case OUT_CURSOR:
      slot->p = &call->out[i];
      return read_number(env, param->name, KIND_U64, value, &call->out[i].u64);
    case OUT_WANTED_TEXT:
    case OUT_WANTED_IDS: {
      bool wanted = false;
      napi_get_value_bool(env, value, &wanted);
      slot[2].p = wanted ? &call->out[i + 2] : NULL;
      return true;
    }
    default:
      return read_number(env, param->name, param->kind, value, slot);
  }
}

/* Room for the output `i`, of which a text has a zero more. */
static bool make_room(napi_env env, struct call* call, size_t i, size_t capacity) {
  const enum kind kind = call->function->params[i].kind;
  const size_t width = kind == OUT_IDS || kind == OUT_WANTED_IDS ? sizeof(int32_t) : 1;
  void* buffer = keep(env, call, capacity * width);
  call->slots[i].p = buffer;
  call->slots[i + 1].size = capacity;
  return buffer != NULL;
}

static bool prepare_output(napi_env env, struct call* call, size_t i) {
  const struct param* param = &call->function->params[i];
  union slot* slot = &call->slots[i];
  const enum kind kind = param->kind;
  if (kind == OUT_STRUCT) {
    void* structure = keep(env, call, param->structure->size);
    if (structure == NULL) return false;
    if (param->structure->init != NULL) {
      param->structure->init(call->environment->library, structure);
    } else {
      *(uint32_t*)structure = (uint32_t)param->structure->size;
    }
    slot->p = structure;
  } else if (kind == PARAM_CREATE || kind == OUT_BORROWED || (kind >= OUT_U32 && kind <= OUT_I64)) {
    slot->p = &call->out[i];
    if (kind == OUT_BORROWED) slot[1].p = &call->out[i + 1];
  } else if (kind == PARAM_MESSAGE) {
    slot->p = call->message;
    slot[1].size = MESSAGE_BYTES;
  } else if (kind == OUT_FLOATS) {
    const size_t each = call->slots[param->count].size;
    const size_t times = param->times ? call->slots[param->times].size : 1;
    if (each > (1u << 24) || (times > 0 && each > SIZE_MAX / 8 / times)) {
      napi_throw_range_error(env, NULL, "dimensions is out of range");
      return false;
    }
    call->out[i].size = each * times;
    slot->p = keep(env, call, each * times * sizeof(float) + 1);
    return slot->p != NULL;
  } else if (is_buffer(kind)) {
    if (kind == OUT_TEXT || kind == OUT_IDS || kind == OUT_BYTES) slot[2].p = &call->out[i + 2];
    if (slot[2].p == NULL || kind == OUT_BYTES) return true; /* not wanted, or asked for its size */
    return make_room(env, call, i, is_text(kind) ? call->hint + 1024 : call->hint / 2 + 256);
  } else if (kind == OUT_EVENTS) {
    slot->p = call;
  } else if (kind == PARAM_ABI_VERSION) {
    slot->u32 = RONDO_ABI_VERSION;
  }
  return true;
}

/* Larger outputs, where one has too little room. Not on the thread of JavaScript: no exception. */
static bool grow(struct call* call) {
  bool grown = false;
  for (size_t i = 0; i < call->function->n_params; ++i) {
    const enum kind kind = call->function->params[i].kind;
    if (!is_buffer(kind) || call->slots[i + 2].p == NULL) continue;
    const size_t needed = call->out[i + 2].size + is_text(kind);
    if (needed <= call->slots[i + 1].size) continue;
    const size_t width = kind == OUT_IDS || kind == OUT_WANTED_IDS ? sizeof(int32_t) : 1;
    struct kept* kept = malloc(16 + needed * width);
    if (kept == NULL) return false;
    kept->next = call->kept;
    call->kept = kept;
    call->slots[i].p = (char*)kept + 16;
    call->slots[i + 1].size = needed;
    grown = true;
  }
  return grown;
}

static rondo_session* session_of(struct call* call) {
  const struct param* first = call->function->params;
  return call->function->n_params > 0 && first->kind == KIND_HANDLE &&
                 first->handle == HANDLE_SESSION
             ? (rondo_session*)call->slots[0].p
             : NULL;
}

void execute(struct call* call) {
  const struct function* function = call->function;
  const struct library* library = call->environment->library;
  do {
    call->status = function->run(library, call->slots);
  } while (call->status == RONDO_STATUS_BUFFER_TOO_SMALL && grow(call));
  /* Where it is busy, the sentence belongs to the other call. */
  if (call->status != RONDO_STATUS_OK && call->status != RONDO_STATUS_BUSY &&
      function->result == RESULT_STATUS && session_of(call) != NULL && call->message[0] == 0) {
    snprintf(call->message, sizeof call->message, "%s",
             library->rondo_session_last_error(session_of(call)));
  }
  for (size_t i = 0; call->status == RONDO_STATUS_OK && i < function->n_params; ++i) {
    if (function->params[i].kind != OUT_BORROWED) continue; /* copied before the next call */
    const size_t bytes = call->out[i + 1].size * sizeof(float);
    struct kept* kept = malloc(16 + bytes + 1);
    if (kept == NULL) {
      call->status = RONDO_STATUS_OUT_OF_MEMORY;
      break;
    }
    kept->next = call->kept;
    call->kept = kept;
    memcpy((char*)kept + 16, call->out[i].p, bytes);
    call->out[i].p = (char*)kept + 16;
  }
}

/* NULL: it gives nothing. */
static napi_value output(napi_env env, struct call* call, size_t i) {
  const struct param* param = &call->function->params[i];
  const union slot* out = &call->out[i];
  napi_value value = NULL;
  switch (param->kind) {
    case PARAM_CREATE: {
      struct logger* logger = call->logger;
      if (logger == NULL && call->n_handles > 0) logger = call->handles[0]->logger;
      return made_handle(env, call->environment, param->handle, (void*)out->p, logger);
    }
    case OUT_STRUCT:
      return written_struct(env, param->structure, call->slots[i].p);
    case OUT_U32:
      napi_create_uint32(env, out->u32, &value);
      break;
    case OUT_I32:
      napi_create_int32(env, out->i32, &value);
      break;
    case OUT_U64:
    case OUT_CURSOR:
      return written_u64(env, out->u64);
    case OUT_I64:
      napi_create_int64(env, out->i64, &value);
      break;
    case OUT_FLOATS:
      return written_array(env, napi_float32_array, call->slots[i].p, out->size);
    case OUT_EVENTS:
      return written_events(env, call, i);
    case OUT_BORROWED:
      return written_array(env, napi_float32_array, out->p, call->out[i + 1].size);
    default:
      if (!is_buffer(param->kind) || call->slots[i + 2].p == NULL) return NULL;
      if (is_text(param->kind)) {
        napi_create_string_utf8(env, call->slots[i].p, call->out[i + 2].size, &value);
        return value;
      }
      return param->kind == OUT_BYTES
                 ? written_bytes(env, call->slots[i].p, call->out[i + 2].size)
                 : written_array(env, napi_int32_array, call->slots[i].p, call->out[i + 2].size);
  }
  return value;
}

/* What it gives: nothing, a value, or an array of several. */
napi_value results(napi_env env, struct call* call) {
  napi_value first = NULL, array = NULL, result = NULL;
  uint32_t count = 0;
  if (call->function->result == RESULT_TEXT) {
    napi_create_string_utf8(env, call->slots[MAX_PARAMS].p, NAPI_AUTO_LENGTH, &result);
    return result;
  }
  if (call->function->result == RESULT_U32) {
    napi_create_uint32(env, call->slots[MAX_PARAMS].u32, &result);
    return result;
  }
  for (size_t i = 0; i < call->function->n_params; ++i) {
    napi_value value = output(env, call, i);
    bool pending = false;
    napi_is_exception_pending(env, &pending);
    if (pending) return NULL;
    if (value == NULL) continue;
    if (++count == 1) {
      first = value;
      continue;
    }
    if (count == 2) {
      napi_create_array(env, &array);
      napi_set_element(env, array, 0, first);
    }
    napi_set_element(env, array, count - 1, value);
  }
  if (count == 0) napi_get_undefined(env, &result);
  return count == 0 ? result : count == 1 ? first : array;
}

napi_value error_of(napi_env env, struct call* call) {
  napi_value make, global, arguments[2], error = NULL;
  const char* text = call->message[0]
                         ? call->message
                         : call->environment->library->rondo_status_string(call->status);
  napi_get_reference_value(env, call->environment->make_error, &make);
  napi_get_global(env, &global);
  napi_create_int32(env, call->status, &arguments[0]);
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &arguments[1]);
  napi_call_function(env, global, make, 2, arguments, &error);
  return error;
}

/* env NULL: JavaScript has come to its end. */
void free_call(napi_env env, struct call* call) {
  for (size_t i = 0; env != NULL && i < call->n_handles; ++i) release_call(env, call->handles[i]);
  if (env != NULL && call->callback != NULL) napi_delete_reference(env, call->callback);
  drop_logger(env, call->logger);
  while (call->kept != NULL) {
    struct kept* next = call->kept->next;
    free(call->kept);
    call->kept = next;
  }
  free(call->handles);
  free(call->numbers);
  free((void*)call->raws);
  free(call);
}

static bool read_arguments(napi_env env, struct call* call, size_t argc, napi_value* argv) {
  const struct function* function = call->function;
  size_t next = 0;
  for (size_t i = 0; i < function->n_params; ++i) {
    if (!is_given(function->params[i].kind)) continue;
    napi_value value;
    if (next < argc) {
      value = argv[next];
    } else {
      napi_get_undefined(env, &value);
    }
    ++next;
    if (!read_argument(env, i, value, call)) return false;
  }
  for (size_t i = 0; i < function->n_params; ++i) {
    if (function->params[i].kind != OUT_CURSOR && !prepare_output(env, call, i)) return false;
  }
  return true;
}

/* Every function of the library: `data` is its row of the table. */
napi_value invoke(napi_env env, napi_callback_info info) {
  size_t argc = MAX_PARAMS;
  napi_value argv[MAX_PARAMS], result = NULL;
  void *data = NULL, *environment = NULL;
  napi_get_cb_info(env, info, &argc, argv, NULL, &data);
  napi_get_instance_data(env, &environment);
  struct call* call = calloc(1, sizeof *call);
  if (call == NULL) {
    napi_throw_error(env, "ERR_MEMORY_ALLOCATION_FAILED", "the system refused memory");
    return NULL;
  }
  call->environment = environment;
  call->function = data;
  if (!read_arguments(env, call, argc, argv)) {
    free_call(env, call);
    return NULL;
  }
  if (call->function->waits) {
    napi_create_promise(env, &call->deferred, &result);
    if (submit(call)) return result;
    napi_value error;
    call->status = RONDO_STATUS_OUT_OF_MEMORY;
    error = error_of(env, call);
    napi_reject_deferred(env, call->deferred, error);
    free_call(env, call);
    return result;
  }
  if (call->function->n_params > 0 && call->function->params[0].kind == PARAM_CLOSE) {
    close_handle(env, call->handles[0]);
  } else {
    execute(call);
    if (call->status == RONDO_STATUS_OK) {
      result = results(env, call);
    } else {
      napi_throw(env, error_of(env, call));
    }
  }
  free_call(env, call);
  return result;
}
