/* JavaScript's values as those of C, each checked before it is taken, and back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rondo_node.h"

static const char* const type_names[] = {"undefined", "null",     "a boolean", "a number",
                                         "a text",    "a symbol", "object",    "function",
                                         "external",  "a bigint"};

/* "maxTokens is a whole number from 0 to 9, not a text" */
bool refuse(napi_env env, bool type, const char* name, const char* wanted, napi_value value) {
  char text[400], given[80] = "";
  napi_valuetype is = napi_undefined;
  napi_value string;
  napi_typeof(env, value, &is);
  if ((is == napi_number || is == napi_bigint) &&
      napi_coerce_to_string(env, value, &string) == napi_ok) {
    napi_get_value_string_utf8(env, string, given, sizeof given, NULL);
  } else {
    bool array = false;
    napi_is_array(env, value, &array);
    const char* an = is == napi_object || is == napi_external ? "an "
                     : is == napi_function                    ? "a "
                                                              : "";
    snprintf(given, sizeof given, "%s%s", array ? "an " : an, array ? "array" : type_names[is]);
  }
  snprintf(text, sizeof text, "%s is %s, not %s", name, wanted, given);
  type ? napi_throw_type_error(env, NULL, text) : napi_throw_range_error(env, NULL, text);
  return false;
}

void* keep(napi_env env, struct call* call, size_t bytes) {
  struct kept* kept = bytes < SIZE_MAX / 2 ? calloc(1, sizeof *kept + 16 + bytes) : NULL;
  if (kept == NULL) {
    napi_throw_error(env, "ERR_MEMORY_ALLOCATION_FAILED", "the system refused memory");
    return NULL;
  }
  kept->next = call->kept;
  call->kept = kept;
  return (char*)kept + 16;
}

static bool read_bigint(napi_env env, const char* name, enum kind kind, napi_value value,
                        void* to) {
  bool whole = false;
  if (kind == KIND_U64) {
    napi_get_value_bigint_uint64(env, value, (uint64_t*)to, &whole);
  } else {
    napi_get_value_bigint_int64(env, value, (int64_t*)to, &whole);
  }
  return whole || refuse(env, false, name,
                         kind == KIND_U64 ? "a whole number from 0 to 18446744073709551615"
                                          : "a whole number of 64 bits",
                         value);
}

static bool read_float(napi_env env, const char* name, double number, napi_value value, void* to) {
  const float rounded = (float)number;
  if (isnan(number) || (isinf(rounded) && !isinf(number))) {
    return refuse(env, false, name, "a number that a float can hold", value);
  }
  *(float*)to = rounded;
  return true;
}

bool read_number(napi_env env, const char* name, enum kind kind, napi_value value, void* to) {
  napi_valuetype is;
  double number = 0;
  napi_typeof(env, value, &is);
  if (is == napi_bigint && (kind == KIND_U64 || kind == KIND_I64)) {
    return read_bigint(env, name, kind, value, to);
  }
  if (is != napi_number) return refuse(env, true, name, "a number", value);
  napi_get_value_double(env, value, &number);
  if (kind == KIND_FLOAT) return read_float(env, name, number, value, to);
  const double exact = 9007199254740991.0;
  double least = 0, most = exact;
  if (kind == KIND_U32) most = 4294967295.0;
  if (kind == KIND_I32) least = -2147483648.0, most = 2147483647.0;
  if (kind == KIND_I64) least = -exact;
  if (kind == KIND_SIZE && sizeof(size_t) == 4) most = 4294967295.0;
  if (!(number >= least && number <= most) || floor(number) != number) {
    char wanted[80];
    snprintf(wanted, sizeof wanted, "a whole number from %.0f to %.0f", least, most);
    return refuse(env, false, name, wanted, value);
  }
  switch (kind) {
    case KIND_U32:
      *(uint32_t*)to = (uint32_t)number;
      break;
    case KIND_I32:
      *(int32_t*)to = (int32_t)number;
      break;
    case KIND_U64:
      *(uint64_t*)to = (uint64_t)number;
      break;
    case KIND_I64:
      *(int64_t*)to = (int64_t)number;
      break;
    default:
      *(size_t*)to = (size_t)number;
  }
  return true;
}

/* terminated: the library reads up to a zero, so that none may be in it. */
bool read_string(napi_env env, const char* name, napi_value value, bool terminated,
                 struct call* call, const char** text, size_t* length) {
  napi_valuetype is;
  napi_typeof(env, value, &is);
  if (is != napi_string) return refuse(env, true, name, "a text", value);
  napi_get_value_string_utf8(env, value, NULL, 0, length);
  char* bytes = keep(env, call, *length + 1);
  if (bytes == NULL) return false;
  napi_get_value_string_utf8(env, value, bytes, *length + 1, length);
  if (terminated && strlen(bytes) != *length) {
    char message[200];
    snprintf(message, sizeof message, "%s is a text without a zero byte", name);
    napi_throw_type_error(env, NULL, message);
    return false;
  }
  *text = bytes;
  call->hint += *length;
  return true;
}

/* A copy of a typed array's elements, so that nothing that JavaScript does to it matters. `only`:
 * the type that it must be of, or -1 for any. */
bool read_data(napi_env env, const char* name, napi_value value, int only, struct call* call,
               const void** data, size_t* length) {
  static const size_t widths[] = {1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8};
  bool is = false;
  napi_typedarray_type type = napi_uint8_array;
  void* bytes = NULL;
  napi_is_typedarray(env, value, &is);
  if (is) napi_get_typedarray_info(env, value, &type, length, &bytes, NULL, NULL);
  if (!is || (only >= 0 && (int)type != only)) {
    return refuse(env, true, name,
                  only == napi_int32_array   ? "an Int32Array"
                  : only == napi_uint8_array ? "a Uint8Array"
                                             : "a typed array",
                  value);
  }
  const size_t size = *length * widths[type];
  void* copy = keep(env, call, size + 1);
  if (copy == NULL) return false;
  if (size > 0) memcpy(copy, bytes, size);
  *data = copy;
  return true;
}

bool read_elements(napi_env env, const char* name, napi_value array, uint32_t* count) {
  bool is = false;
  napi_is_array(env, array, &is);
  if (!is) return refuse(env, true, name, "an array", array);
  return napi_get_array_length(env, array, count) == napi_ok;
}

bool read_enum(napi_env env, const char* name, const struct enumeration* enumeration,
               napi_value value, int32_t* to) {
  char given[64] = "", wanted[400];
  napi_valuetype is;
  napi_typeof(env, value, &is);
  if (is == napi_string) napi_get_value_string_utf8(env, value, given, sizeof given, NULL);
  for (size_t i = 0; i < enumeration->n_values && is == napi_string; ++i) {
    if (strcmp(given, enumeration->names[i]) == 0) {
      *to = enumeration->values[i];
      return true;
    }
  }
  int at = snprintf(wanted, sizeof wanted, "one of %s:", enumeration->name);
  for (size_t i = 0; i < enumeration->n_values && at < (int)sizeof wanted; ++i) {
    at += snprintf(wanted + at, sizeof wanted - (size_t)at, "%s %s", i > 0 ? "," : "",
                   enumeration->names[i]);
  }
  if (is != napi_string) return refuse(env, true, name, wanted, value);
  char message[560];
  snprintf(message, sizeof message, "%s is %s, not '%s'", name, wanted, given);
  napi_throw_range_error(env, NULL, message);
  return false;
}

static void set_count(const struct field* field, char* structure, size_t count) {
  if (field->wide) {
    *(size_t*)(structure + field->count) = count;
  } else {
    *(uint32_t*)(structure + field->count) = (uint32_t)count;
  }
}

static bool read_list(napi_env env, const struct field* field, napi_value value, struct call* call,
                      char* structure) {
  uint32_t count = 0;
  if (!read_elements(env, field->name, value, &count)) return false;
  const size_t width = field->kind == KIND_U32_LIST    ? sizeof(uint32_t)
                       : field->kind == KIND_TEXT_LIST ? sizeof(char*)
                                                       : field->structure->size;
  char* elements = keep(env, call, count * width);
  if (elements == NULL) return false;
  for (uint32_t i = 0; i < count; ++i) {
    napi_value element;
    size_t length;
    if (napi_get_element(env, value, i, &element) != napi_ok) return false;
    char* to = elements + i * width;
    const bool read =
        field->kind == KIND_U32_LIST ? read_number(env, field->name, KIND_U32, element, to)
        : field->kind == KIND_TEXT_LIST
            ? read_string(env, field->name, element, true, call, (const char**)to, &length)
            : read_struct(env, element, field->structure, call, to);
    if (!read) return false;
  }
  *(void**)(structure + field->offset) = count > 0 ? elements : NULL;
  set_count(field, structure, count);
  return true;
}

static bool read_callback(napi_env env, const struct field* field, napi_value value,
                          struct call* call, char* structure) {
  napi_valuetype is;
  napi_typeof(env, value, &is);
  if (is != napi_function) return refuse(env, true, field->name, "a function", value);
  if (field->kind == KIND_LOG) {
    call->logger = made_logger(env, call->environment, value);
    if (call->logger == NULL) return false;
    *(void (**)(void*, int32_t, const char*))(structure + field->offset) = on_log;
    *(void**)(structure + field->count) = call->logger;
    return true;
  }
  return napi_create_reference(env, value, 1, &call->callback) == napi_ok;
}

static bool read_field(napi_env env, const struct field* field, napi_value value, struct call* call,
                       char* structure) {
  void* to = structure + field->offset;
  size_t length = 0;
  bool flag = false;
  switch (field->kind) {
    case KIND_FLAG:
      if (napi_get_value_bool(env, value, &flag) != napi_ok) {
        return refuse(env, true, field->name, "true or false", value);
      }
      *(uint32_t*)to = flag;
      return true;
    case KIND_ENUM:
      return read_enum(env, field->name, field->enumeration, value, to);
    case KIND_TEXT:
      return read_string(env, field->name, value, true, call, to, &length);
    case KIND_STRING:
      if (!read_string(env, field->name, value, false, call, to, &length)) return false;
      set_count(field, structure, length);
      return true;
    case KIND_DATA:
      return read_data(env, field->name, value, -1, call, to, &length);
    case KIND_HANDLE: {
      struct handle* handle = handle_of(env, field->name, field->handle, value);
      if (handle == NULL || !use_handle(env, call, handle)) return false;
      *(void**)to = handle->raw;
      return true;
    }
    case KIND_U32_LIST:
    case KIND_TEXT_LIST:
    case KIND_STRUCT_LIST:
      return read_list(env, field, value, call, structure);
    case KIND_PROGRESS:
    case KIND_LOG:
      return read_callback(env, field, value, call, structure);
    default:
      return read_number(env, field->name, field->kind, value, to);
  }
}

static const struct field* field_named(const struct structure* structure, const char* name) {
  for (size_t i = 0; i < structure->n_fields; ++i) {
    if (strcmp(structure->fields[i].name, name) == 0) return &structure->fields[i];
  }
  return NULL;
}

/* Defaults are those of the library's `rondo_..._init`; members that are undefined leave them. */
bool read_struct(napi_env env, napi_value object, const struct structure* structure,
                 struct call* call, void* to) {
  napi_valuetype is;
  napi_value names;
  uint32_t count = 0;
  bool array = false;
  if (structure->sized) *(uint32_t*)to = (uint32_t)structure->size;
  if (structure->init != NULL) structure->init(call->environment->library, to);
  for (size_t i = 0; i < structure->n_fields; ++i) { /* so that a cancel ends the call */
    const struct field* field = &structure->fields[i];
    if (field->kind != KIND_PROGRESS) continue;
    *(int32_t(**)(void*, uint64_t, uint64_t))((char*)to + field->offset) = on_progress;
    *(void**)((char*)to + field->count) = call;
  }
  napi_typeof(env, object, &is);
  if (is == napi_undefined) return true;
  napi_is_array(env, object, &array);
  if (is != napi_object || array) {
    return refuse(env, true, "what should be options", "an object", object);
  }
  if (napi_get_property_names(env, object, &names) != napi_ok) return false;
  napi_get_array_length(env, names, &count);
  for (uint32_t i = 0; i < count; ++i) {
    napi_value key, value;
    char name[64] = "";
    napi_get_element(env, names, i, &key);
    if (napi_get_property(env, object, key, &value) != napi_ok) return false;
    napi_coerce_to_string(env, key, &key);
    napi_get_value_string_utf8(env, key, name, sizeof name, NULL);
    napi_typeof(env, value, &is);
    const struct field* field = field_named(structure, name);
    if (field == NULL) {
      char message[100];
      snprintf(message, sizeof message, "there is no option '%s'", name);
      napi_throw_type_error(env, NULL, message);
      return false;
    }
    if (is != napi_undefined && !read_field(env, field, value, call, to)) return false;
  }
  return true;
}

napi_value written_u64(napi_env env, uint64_t value) {
  napi_value result = NULL;
  if (value <= (UINT64_C(1) << 53)) {
    napi_create_int64(env, (int64_t)value, &result);
  } else {
    napi_create_bigint_uint64(env, value, &result);
  }
  return result;
}

napi_value written_array(napi_env env, napi_typedarray_type type, const void* elements,
                         size_t count) {
  const size_t width = type == napi_uint8_array ? 1 : 4;
  napi_value buffer = NULL, array = NULL;
  void* bytes = NULL;
  if (napi_create_arraybuffer(env, count * width, &bytes, &buffer) != napi_ok) return NULL;
  if (count > 0) memcpy(bytes, elements, count * width);
  napi_create_typedarray(env, type, count, buffer, 0, &array);
  return array;
}

napi_value written_bytes(napi_env env, const void* bytes, size_t count) {
  return written_array(env, napi_uint8_array, bytes, count);
}

static napi_value written_text(napi_env env, const char* text, size_t length) {
  napi_value result = NULL;
  if (text == NULL) {
    napi_get_null(env, &result);
  } else {
    napi_create_string_utf8(env, text, length, &result);
  }
  return result;
}

/* A value that a newer library has is told as 'UNKNOWN_1000'. */
static napi_value written_enum(napi_env env, const struct enumeration* enumeration, int32_t value) {
  char unknown[32];
  snprintf(unknown, sizeof unknown, "UNKNOWN_%d", value);
  const char* name = unknown;
  for (size_t i = 0; i < enumeration->n_values; ++i) {
    if (enumeration->values[i] == value) name = enumeration->names[i];
  }
  return written_text(env, name, NAPI_AUTO_LENGTH);
}

static size_t count_of(const struct field* field, const char* structure) {
  return field->wide ? *(const size_t*)(structure + field->count)
                     : *(const uint32_t*)(structure + field->count);
}

static napi_value written_list(napi_env env, const struct field* field, const char* structure) {
  const size_t count = count_of(field, structure);
  const char* elements = *(const char* const*)(structure + field->offset);
  napi_value array = NULL;
  napi_create_array_with_length(env, count, &array);
  for (size_t i = 0; i < count; ++i) {
    napi_set_element(
        env, array, (uint32_t)i,
        field->kind == KIND_TEXT_LIST
            ? written_text(env, ((const char* const*)elements)[i], NAPI_AUTO_LENGTH)
            : written_struct(env, field->structure, elements + i * field->structure->size));
  }
  return array;
}

static napi_value written_field(napi_env env, const struct field* field, const char* structure) {
  const void* from = structure + field->offset;
  napi_value value = NULL;
  switch (field->kind) {
    case KIND_U32:
      napi_create_uint32(env, *(const uint32_t*)from, &value);
      break;
    case KIND_I32:
      napi_create_int32(env, *(const int32_t*)from, &value);
      break;
    case KIND_U64:
      return written_u64(env, *(const uint64_t*)from);
    case KIND_I64:
      napi_create_int64(env, *(const int64_t*)from, &value);
      break;
    case KIND_SIZE:
      return written_u64(env, *(const size_t*)from);
    case KIND_FLOAT:
      napi_create_double(env, *(const float*)from, &value);
      break;
    case KIND_FLAG:
      napi_get_boolean(env, *(const uint32_t*)from != 0, &value);
      break;
    case KIND_ENUM:
      return written_enum(env, field->enumeration, *(const int32_t*)from);
    case KIND_TEXT:
      return written_text(env, *(const char* const*)from, NAPI_AUTO_LENGTH);
    case KIND_CHARS:
      return written_text(env, from, strnlen(from, field->chars));
    case KIND_STRING:
      return written_text(env, *(const char* const*)from, count_of(field, structure));
    case KIND_BYTES:
      return written_bytes(env, *(const char* const*)from, count_of(field, structure));
    case KIND_TEXT_LIST:
    case KIND_STRUCT_LIST:
      return written_list(env, field, structure);
    default:
      napi_get_undefined(env, &value); /* handles and callbacks are no facts */
  }
  return value;
}

napi_value written_struct(napi_env env, const struct structure* structure, const void* from) {
  napi_value object = NULL;
  napi_create_object(env, &object);
  for (size_t i = 0; i < structure->n_fields; ++i) {
    napi_value value = written_field(env, &structure->fields[i], from);
    if (value != NULL) napi_set_named_property(env, object, structure->fields[i].name, value);
  }
  return object;
}
