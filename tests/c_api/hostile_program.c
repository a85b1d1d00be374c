/* Calls every function of rondo.h in all the wrong ways that make_hostile_calls.py can think of.
 * Each has a status that the header knows; what must be refused is refused, with a sentence where
 * one is due; and a session beside it all generates in the end what it generates at the beginning.
 *   hostile_program MODEL ADAPTER SEEING */
#include <math.h>
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kAnything, kRefused, kBusy, kNull, kNotOpen, kReserved };

static const char* model_path;
static rondo_model* model;
static rondo_engine* engine;
static rondo_session* session;
static rondo_grammar* grammar;
static rondo_adapter* adapter;
static rondo_chat_parser* chat_parser;
static rondo_media* media; /* of an engine of another model, which sees */
static char message[256];
static uint64_t out[16][512]; /* whatever a call writes */
static const int32_t input[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static unsigned char memory[192];
static void* aligned;
static rondo_model_part parts[4];
static rondo_model* made_rondo_model;
static rondo_engine* made_rondo_engine;
static rondo_session* made_rondo_session;
static rondo_grammar* made_rondo_grammar;
static rondo_adapter* made_rondo_adapter;
static rondo_chat_parser* made_rondo_chat_parser;
static rondo_media* made_rondo_media;
/* Handles that were closed: their places are free, or another handle's of the same kind. */
static rondo_model *closed_model, *stale_model;
static rondo_engine *closed_engine, *stale_engine;
static rondo_session *closed_session, *stale_session;
static rondo_grammar *closed_grammar, *stale_grammar;
static rondo_adapter *closed_adapter, *stale_adapter;
static rondo_chat_parser *closed_chat_parser, *stale_chat_parser;
static rondo_media *closed_media, *stale_media;
/* What the next call may return, by the header: -1 is behind the last; NULL: anything. */
static const int32_t* may;
/* Outputs that the next call must zero: which of `out`, and how many bytes. */
static size_t zeroed[16];
static int calls, failures;

static void before(void) {
  rondo_session_close(made_rondo_session);
  rondo_engine_close(made_rondo_engine);
  rondo_grammar_close(made_rondo_grammar);
  rondo_adapter_close(made_rondo_adapter);
  rondo_chat_parser_close(made_rondo_chat_parser);
  rondo_media_close(made_rondo_media);
  rondo_model_close(made_rondo_model);
  made_rondo_session = NULL;
  made_rondo_engine = NULL;
  made_rondo_grammar = NULL;
  made_rondo_adapter = NULL;
  made_rondo_chat_parser = NULL;
  made_rondo_media = NULL;
  made_rondo_model = NULL;
  memset(out, 0, sizeof out);
  memset(zeroed, 0, sizeof zeroed);
  may = NULL;
  memset(message, '?', sizeof message);
}

static void expect_zero(int index, size_t bytes) {
  memset(out[index], 0xa5, bytes);
  zeroed[index] = bytes;
}

static int all_zeroed(void) {
  static const unsigned char zeros[sizeof out[0]];
  size_t i;
  for (i = 0; i < sizeof zeroed / sizeof *zeroed; ++i) {
    if (memcmp(out[i], zeros, zeroed[i]) != 0) return 0;
  }
  return 1;
}

static int is_listed(int32_t status) {
  const int32_t* one = may;
  if (may == NULL) return 1;
  while (*one != -1 && *one != status) ++one;
  return *one != -1;
}

static rondo_media* const* one_media(void* handle) {
  static rondo_media* pictures[1];
  pictures[0] = handle;
  return pictures;
}

static rondo_session* const* one_session(void* handle) {
  static rondo_session* sessions[1];
  sessions[0] = handle;
  return sessions;
}

static void judge(const char* function, const char* what, int32_t status, int expected, int tells) {
  int ok = strcmp(rondo_status_string(status), "unknown status") != 0 &&
           status != RONDO_STATUS_INTERNAL && is_listed(status);
  if (expected == kRefused) ok = ok && status != RONDO_STATUS_OK;
  if (expected == kBusy) ok = ok && status == RONDO_STATUS_BUSY;
  if (expected == kReserved) ok = ok && status == RONDO_STATUS_VERSION_MISMATCH;
  if (expected == kNull) ok = ok && status == RONDO_STATUS_INVALID_ARGUMENT && all_zeroed();
  if (expected == kNotOpen) ok = ok && status == RONDO_STATUS_INVALID_HANDLE && all_zeroed();
  /* A sentence for a failure, none for success; always terminated. */
  if (tells) {
    ok = ok && memchr(message, 0, sizeof message) != NULL &&
         (message[0] != 0) == (status != RONDO_STATUS_OK);
  }
  if (status != RONDO_STATUS_OK) { /* no handle comes out of a failure */
    ok = ok && made_rondo_model == NULL && made_rondo_engine == NULL &&
         made_rondo_session == NULL && made_rondo_grammar == NULL && made_rondo_adapter == NULL &&
         made_rondo_chat_parser == NULL && made_rondo_media == NULL;
  }
  ++calls;
  if (ok) return;
  ++failures;
  fprintf(stderr, "%s(%s): %d, %s\n", function, what, (int)status, rondo_status_string(status));
}

static void adjust_rondo_engine_options(rondo_engine_options* options) {
  options->context = 64;
  options->max_rows = 16;
  options->max_sessions = 4;
  options->threads = 1;
}
static void adjust_rondo_session_options(rondo_session_options* options) { (void)options; }
static void adjust_rondo_grammar_options(rondo_grammar_options* options) { (void)options; }
static void adjust_rondo_chat_options(rondo_chat_options* options) {
  options->messages = "[]";
  options->messages_bytes = 2;
  options->template_text = "{% for m in messages %}{{ m.content }}{% endfor %}x";
  options->template_bytes = strlen(options->template_text);
}
static void adjust_rondo_image_options(rondo_image_options* options) { (void)options; }
static void on_row(void* user, size_t index, const float* logits, size_t count) {
  (void)user, (void)index, (void)logits, (void)count;
}

#include "hostile_calls.inc"

static void from_inside(void* user, size_t index, const float* logits, size_t count) {
  (void)user, (void)index, (void)logits, (void)count;
  call_everything_from_inside();
}

static void generate(rondo_session* from, int32_t tokens[8]) {
  rondo_event event;
  int i;
  event.struct_size = sizeof event;
  for (i = 0; i < 8; ++i) {
    tokens[i] = rondo_session_next(from, &event) == RONDO_STATUS_OK ? event.token : -2;
  }
}

static void open_media(const char* path) {
  rondo_model* sees = NULL;
  rondo_engine* eyes = NULL;
  rondo_engine_options options = *fresh_rondo_engine_options();
  rondo_image image;
  memset(&image, 0, sizeof image);
  image.struct_size = sizeof image;
  image.width = image.height = 4;
  image.plane0 = input;
  options.max_media_rows = 64;
  judge("sees", "", rondo_model_open_path(RONDO_ABI_VERSION, path, &sees, message, 256), 0, 1);
  judge("eyes", "", rondo_engine_create(sees, &options, NULL, 0, &eyes, message, 256), 0, 1);
  judge("media", "",
        rondo_media_create(eyes, &image, fresh_rondo_image_options(), &media, message, 256), 0, 1);
  rondo_engine_close(eyes);
  rondo_model_close(sees);
}

static void open_all(const char* adapter_path, const char* seeing_path) {
  judge("open", "", rondo_model_open_path(RONDO_ABI_VERSION, model_path, &model, message, 256), 0,
        1);
  judge("grammar", "",
        rondo_grammar_create(model, fresh_rondo_grammar_options(), "true", 4, NULL, 0, &grammar,
                             message, 256),
        0, 1);
  judge("adapter", "", rondo_adapter_open_path(model, adapter_path, &adapter, message, 256), 0, 1);
  judge("parser", "",
        rondo_chat_parser_create(model, fresh_rondo_chat_options(), &chat_parser, message, 256), 0,
        1);
  judge("create", "",
        rondo_engine_create(model, fresh_rondo_engine_options(), NULL, 0, &engine, message, 256), 0,
        1);
  open_media(seeing_path);
  rondo_session_open(engine, fresh_rondo_session_options(), &session, message, sizeof message);
}

/* In the order in which the next ones take their places. */
static void close_all(void) {
  rondo_session_close(session);
  rondo_media_close(media);
  rondo_engine_close(engine);
  rondo_chat_parser_close(chat_parser);
  rondo_adapter_close(adapter);
  rondo_grammar_close(grammar);
  rondo_model_close(model);
}

int main(int argc, char** argv) {
  rondo_session* witness = NULL;
  rondo_session* again = NULL;
  int32_t first[8], last[8];
  int i;

  if (argc != 4) return 2;
  model_path = argv[1];
  aligned = memory + (64 - (uintptr_t)memory % 64) % 64;
  for (i = 0; i < 4; ++i) parts[i].bytes = aligned, parts[i].length = 64;
  open_all(argv[2], argv[3]);
  closed_model = model, closed_engine = engine, closed_session = session;
  closed_grammar = grammar, closed_adapter = adapter, closed_chat_parser = chat_parser;
  closed_media = media;
  open_all(argv[2], argv[3]);
  stale_model = model, stale_engine = engine, stale_session = session;
  stale_grammar = grammar, stale_adapter = adapter, stale_chat_parser = chat_parser;
  stale_media = media;
  close_all();
  open_all(argv[2], argv[3]); /* in the places of these */
  rondo_session_close(closed_session);
  rondo_media_close(closed_media);
  rondo_engine_close(closed_engine);
  rondo_chat_parser_close(closed_chat_parser);
  rondo_adapter_close(closed_adapter);
  rondo_grammar_close(closed_grammar);
  rondo_model_close(closed_model);
  rondo_session_open(engine, fresh_rondo_session_options(), &witness, message, sizeof message);
  if (session == NULL || witness == NULL || grammar == NULL || adapter == NULL ||
      chat_parser == NULL || media == NULL) {
    return 1;
  }
  rondo_session_prefill(witness, input, 9);
  rondo_session_prefill(session, input, 3);
  generate(witness, first);
  rondo_session_reset(witness);

  call_everything_badly();
  before();
  rondo_session_reset(session);
  rondo_session_prefill(session, input, 1); /* takes what a cancellation left */
  rondo_session_reset(session);
  judge("from inside", "", rondo_session_prefill_logits(session, input, 2, from_inside, NULL), 0,
        0);

  rondo_session_prefill(witness, input, 9);
  generate(witness, last);
  if (first[0] < 0 || memcmp(first, last, sizeof first) != 0) {
    ++failures;
    fprintf(stderr, "a session beside it generates something else than before\n");
  }

  /* Parents that were closed stay for their children, whichever goes first. */
  rondo_session_close(session);
  rondo_grammar_close(grammar);
  rondo_adapter_close(adapter);
  rondo_chat_parser_close(chat_parser);
  rondo_media_close(media);
  rondo_model_close(model);
  rondo_session_open(engine, fresh_rondo_session_options(), &again, message, sizeof message);
  rondo_engine_close(engine);
  rondo_session_prefill(again, input, 9);
  generate(again, last);
  if (memcmp(first, last, sizeof first) != 0) ++failures;
  rondo_session_close(witness);
  rondo_session_close(again);
  printf("%d calls, %d of them wrong answers\n", calls, failures);
  return failures == 0 && calls >= kHostileCalls / 2 ? 0 : 1;
}
