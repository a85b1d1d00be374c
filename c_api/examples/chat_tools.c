/* A conversation with a tool, through the model's own chat template, or through the Jinja file of
 * the second argument: cc chat_tools.c -lrondo && ./a.out model.rondo [template.jinja]
 *
 * The library renders the conversation; the program runs it: it shows the answer, does what the
 * model asks for, and adds both to the messages. */
#include <rondo/rondo.h>
#include <stdio.h>
#include <string.h>

static const char kTools[] =
    "[{\"type\": \"function\", \"function\": {\"name\": \"weather\","
    " \"description\": \"The weather of a city\", \"parameters\": {\"type\": \"object\","
    " \"properties\": {\"city\": {\"type\": \"string\"}}, \"required\": [\"city\"]}}}]";
static const char* const kTurns[] = {
    "[{\"role\": \"user\", \"content\": \"Weather in Bern?\"}]",
    /* What the tool said, after the model called it. */
    "[{\"role\": \"user\", \"content\": \"Weather in Bern?\"},"
    " {\"role\": \"assistant\", \"content\": \"\", \"tool_calls\": [{\"type\": \"function\","
    "  \"function\": {\"name\": \"weather\", \"arguments\": {\"city\": \"Bern\"}}}]},"
    " {\"role\": \"tool\", \"name\": \"weather\", \"content\": \"sunny, 21 degrees\"}]"};

static char why[256] = "usage: chat_tools MODEL [TEMPLATE]";

/* The session gets what is new since the last turn: it has the tokens before that already. */
static int feed(rondo_session* session, const int32_t* ids, size_t count) {
  int32_t had[2048];
  size_t n_had = 0, same = 0;
  uint64_t begin = 0;
  if (rondo_session_tokens(session, &begin, had, 2048, &n_had)) return 1;
  while (same < n_had && same + 1 < count && had[same] == ids[same]) ++same;
  return rondo_session_undo(session, n_had - same) ||
         rondo_session_prefill(session, ids + same, count - same);
}

int main(int argc, char** argv) {
  static char jinja[65536];
  static char text[8192];
  rondo_model* model = NULL;
  rondo_engine* engine = NULL;
  rondo_session* session = NULL;
  rondo_engine_options engine_options;
  rondo_session_options session_options;
  rondo_chat_options chat;
  rondo_event event;
  int32_t ids[2048];
  size_t length = 0, count = 0, turn;
  int failed = argc != 2 && argc != 3;

  rondo_engine_options_init(&engine_options, sizeof engine_options);
  rondo_session_options_init(&session_options, sizeof session_options);
  session_options.max_tokens = 24;
  rondo_chat_options_init(&chat, sizeof chat);
  chat.tools = kTools;
  chat.tools_bytes = strlen(kTools);
  if (argc == 3) {
    FILE* file = fopen(argv[2], "rb");
    chat.template_bytes = file == NULL ? 0 : fread(jinja, 1, sizeof jinja, file);
    chat.template_text = jinja;
    if (file != NULL) fclose(file);
  }
  event.struct_size = sizeof event;
  failed = failed || rondo_model_open_path(RONDO_ABI_VERSION, argv[1], &model, why, sizeof why) ||
           rondo_engine_create(model, &engine_options, NULL, 0, &engine, why, sizeof why) ||
           rondo_session_open(engine, &session_options, &session, why, sizeof why);
  for (turn = 0; !failed && turn < 2; ++turn) {
    chat.messages = kTurns[turn];
    chat.messages_bytes = strlen(kTurns[turn]);
    failed = rondo_chat_render(model, &chat, text, sizeof text, &length, ids, 2048, &count, why,
                               sizeof why) ||
             feed(session, ids, count);
    if (!failed) printf("---- to the model:\n%s\n---- from the model:\n", text);
    event.reason = RONDO_REASON_NONE;
    while (!failed && event.reason == RONDO_REASON_NONE) {
      failed = rondo_session_next(session, &event);
      fwrite(event.text, 1, event.text_bytes, stdout);
    }
    putchar('\n');
  }
  if (failed) fprintf(stderr, "%s %s\n", why, session ? rondo_session_last_error(session) : "");
  rondo_session_close(session);
  rondo_engine_close(engine);
  rondo_model_close(model);
  return failed ? 1 : 0;
}
