// Scenarios of conversations and answers.
#include "tests/c_api/allocation_walk_world.h"

namespace rondo::abi_test {
namespace {

char why[256];

constexpr const char* kMessages =
    R"([{"role": "system", "content": "Be kind"}, {"role": "user", "content": "Hello </s> there"}])";
constexpr const char* kTools = R"([{"type": "function", "function": {"name": "find", "parameters":
    {"type": "object", "properties": {"what": {"type": "string"}, "n": {"type": "integer"}}}}},
    {"type": "function", "function": {"name": "stop", "parameters": {"type": "object"}}}])";

#define RONDO_TURNS(answer)                                                            \
  "{% for m in messages %}{% if m.role == 'assistant' %}<|bot|>" answer                \
  "<|end|>\n{% else %}<|{{ m.role }}|>{{ m.content }}<|end|>\n{% endif %}{% endfor %}" \
  "{% if add_generation_prompt %}<|bot|>{% endif %}"

struct Form {
  const char* what;
  const char* text;  // of a template; null: the model's own
  bool calls, thoughts;
};
const Form kForms[] = {
    {"the model's template", nullptr, true, true},
    {"JSON in tags, thoughts",
     RONDO_TURNS("{% if m.reasoning_content %}<think>\n{{ m.reasoning_content }}\n</think>\n\n"
                 "{% endif %}{{ m.content }}{% for c in m.tool_calls %}{{ '\\n' }}<call>\n"
                 "{\"name\": \"{{ c.function.name }}\", \"arguments\": "
                 "{{ c.function.arguments|tojson }}}\n</call>{% endfor %}"),
     true, true},
    {"arguments in tags",
     RONDO_TURNS("{{ m.content }}{% for c in m.tool_calls %}{{ '\\n' }}<call>\n"
                 "<function={{ c.function.name }}>\n{% for k, v in c.function.arguments|items %}"
                 "<parameter={{ k }}>\n{{ v if v is string else v|tojson }}\n</parameter>\n"
                 "{% endfor %}</function>\n</call>{% endfor %}"),
     true, false},
    {"Python's notation, texts refused",
     RONDO_TURNS("{{ m.content }}{% for c in m.tool_calls %}{% if c.function.arguments is string %}"
                 "{{ raise_exception('no texts') }}{% endif %}<|py|>{{ c.function.name }}"
                 "({{ c.function.arguments }})<|/py|>{% endfor %}"),
     true, false},
    {"arguments that are texts",
     RONDO_TURNS("{{ m.content }}{% for c in m.tool_calls %}"
                 "{% if c.function.arguments is not string %}{{ raise_exception('texts only') }}"
                 "{% endif %}[CALL]{{ c.function.name }}[ARGS]{{ c.function.arguments }}"
                 "{% endfor %}"),
     true, false},
    {"no calls, thoughts left out", RONDO_TURNS("{{ m.content.split('</think>')[-1] }}"), false,
     true},
};

rondo_chat_options OptionsOf(const Form& form, bool tools) {
  rondo_chat_options options;
  EXPECT_EQ(rondo_chat_options_init(&options, sizeof options), RONDO_STATUS_OK);
  options.messages = kMessages;
  options.messages_bytes = std::strlen(kMessages);
  options.variables = R"({"more": [1, 2, {"deep": null}]})";
  options.variables_bytes = std::strlen(options.variables);
  if (tools) {
    options.tools = kTools;
    options.tools_bytes = std::strlen(kTools);
  }
  if (form.text != nullptr) {
    options.template_text = form.text;
    options.template_bytes = std::strlen(form.text);
  }
  return options;
}

// A text output of the caller's.
struct TextRoom {
  char text[16384] = "not zero";
  size_t length = 77;

  std::string_view view() const { return {text, length}; }
  bool zeroed() const { return length == 0 && text[0] == '\0'; }
};

Outcome Render(const Form& form, uint32_t flags, bool tools, bool text, bool ids) {
  rondo_model* const model = TheWorld().talker();
  rondo_chat_options options = OptionsOf(form, tools);
  options.flags |= flags;
  static int32_t id[4096];
  TextRoom room;
  if (!text) room = {"", 0};
  size_t n = ids ? 77 : 0;
  const int32_t status = Hurt([&] {
    return rondo_chat_render(model, &options, text ? room.text : nullptr,
                             text ? sizeof room.text : 0, text ? &room.length : nullptr,
                             ids ? id : nullptr, ids ? 4096 : 0, ids ? &n : nullptr, why,
                             sizeof why);
  });
  Bytes bytes;
  for (size_t i = 0; i < n; ++i) bytes.Add(id[i]);
  return {status, bytes.Text(room.view()).Take(), room.zeroed() && n == 0, why};
}

Outcome Thinking(const Form& form) {
  rondo_model* const model = TheWorld().talker();
  const rondo_chat_options options = OptionsOf(form, false);
  TextRoom begin, end;
  const int32_t status = Hurt([&] {
    return rondo_chat_thinking(model, &options, begin.text, sizeof begin.text, &begin.length,
                               end.text, sizeof end.text, &end.length, why, sizeof why);
  });
  return {status, Bytes().Text(begin.view()).Text(end.view()).Take(),
          begin.zeroed() && end.zeroed(), why};
}

Outcome Grammar(const Form& form, int32_t calls, const char* function) {
  rondo_model* const model = TheWorld().talker();
  const rondo_chat_options options = OptionsOf(form, true);
  TextRoom room;
  const int32_t status = Hurt([&] {
    return rondo_chat_grammar(model, &options, calls, function, room.text, sizeof room.text,
                              &room.length, why, sizeof why);
  });
  return {status, Bytes().Text(room.view()).Take(), room.zeroed(), why};
}

// What comes next, up to NONE.
std::string PartsOf(rondo_chat_parser* parser) {
  Bytes bytes;
  rondo_chat_part part = {};
  part.struct_size = sizeof part;
  do {
    EXPECT_EQ(rondo_chat_parser_next(parser, &part), RONDO_STATUS_OK);
    bytes.Add(part.kind).Add(part.call).Text(std::string_view(part.text, part.text_bytes));
    bytes.Text(std::string_view(part.name, part.name_bytes));
  } while (part.kind != RONDO_CHAT_PART_NONE);
  return bytes.Take();
}

constexpr std::string_view kAnswer =
    "<think>\nhm\n</think>\nSee: <call>find {\"what\": \"x\", \"n\": 3}</call> and so on ";

rondo_chat_parser* NewParser() {
  const rondo_chat_options options = OptionsOf(kForms[0], true);
  rondo_chat_parser* parser = nullptr;
  EXPECT_EQ(rondo_chat_parser_create(TheWorld().talker(), &options, &parser, why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  return parser;
}

Outcome CreateParser(const Form& form) {
  rondo_model* const model = TheWorld().talker();
  const rondo_chat_options options = OptionsOf(form, form.calls);
  auto* parser = reinterpret_cast<rondo_chat_parser*>(1);
  const int32_t status =
      Hurt([&] { return rondo_chat_parser_create(model, &options, &parser, why, sizeof why); });
  Outcome outcome{status, {}, parser == nullptr, why};
  if (status != 0) return outcome;
  EXPECT_EQ(rondo_chat_parser_push(parser, kAnswer.data(), kAnswer.size(), 1), RONDO_STATUS_OK);
  outcome.outputs = PartsOf(parser);
  rondo_chat_parser_close(parser);
  return outcome;
}

// A text that is longer than a parser's first memory, behind one that waits; refused once, it is
// taken when there is memory.
Outcome Push() {
  rondo_chat_parser* const parser = NewParser();
  std::string text;
  while (text.size() < 100'000) text += kAnswer;
  EXPECT_EQ(rondo_chat_parser_push(parser, kAnswer.data(), kAnswer.size(), 0), RONDO_STATUS_OK);
  const int32_t status =
      Hurt([&] { return rondo_chat_parser_push(parser, text.data(), text.size(), 0); });
  const int32_t again =
      status == 0 ? 0 : rondo_chat_parser_push(parser, text.data(), text.size(), 0);
  static const std::string* parts = nullptr;  // without refusals
  std::string its = PartsOf(parser);
  rondo_chat_parser_close(parser);
  if (parts == nullptr) parts = new std::string(its);
  return {status, its, again == 0 && its == *parts};
}

void AddParsers(std::vector<Scenario>* all) {
  for (const Form& form : kForms) {
    all->push_back(
        {"rondo_chat_parser_create", form.what, true, [&form] { return CreateParser(form); }});
  }
  all->push_back({"rondo_chat_parser_push", "a long text", true, Push});
  all->push_back({"rondo_chat_parser_next", "", false, [] {
                    rondo_chat_parser* const parser = NewParser();
                    rondo_chat_parser_push(parser, kAnswer.data(), kAnswer.size(), 1);
                    std::string parts;
                    const int32_t status = Hurt([&] {
                      rondo_chat_part part = {};
                      part.struct_size = sizeof part;
                      int32_t result = 0;
                      do {
                        result |= rondo_chat_parser_next(parser, &part);
                      } while (part.kind != RONDO_CHAT_PART_NONE);
                      return result;
                    });
                    rondo_chat_parser_close(parser);
                    return Outcome{status};
                  }});
  all->push_back({"rondo_chat_parser_reset", "", false, [] {
                    rondo_chat_parser* const parser = NewParser();
                    const int32_t status = Hurt([&] { return rondo_chat_parser_reset(parser); });
                    rondo_chat_parser_close(parser);
                    return Outcome{status};
                  }});
  all->push_back({"rondo_chat_parser_close", "", false, [] {
                    rondo_chat_parser* const parser = NewParser();
                    return Outcome{Hurt([&] { rondo_chat_parser_close(parser); })};
                  }});
}

}  // namespace

void AddChat(std::vector<Scenario>* all) {
  const Form& own = kForms[0];
  constexpr const char* kCalls[] = {", auto", ", required", ", one"};
  all->push_back(
      {"rondo_chat_render", "a text", true, [&] { return Render(own, 0, false, true, false); }});
  all->push_back({"rondo_chat_render", "text and ids, tools", true,
                  [&] { return Render(own, 0, true, true, true); }});
  all->push_back({"rondo_chat_render", "ids of plain content", true,
                  [&] { return Render(own, RONDO_CHAT_PLAIN_CONTENT, false, false, true); }});
  for (const Form& form : kForms) {
    if (form.thoughts) {
      all->push_back({"rondo_chat_thinking", form.what, true, [&form] { return Thinking(form); }});
    }
    for (const int32_t calls : {RONDO_CALLS_AUTO, RONDO_CALLS_REQUIRED, RONDO_CALLS_ONE}) {
      if (!form.calls || (calls != RONDO_CALLS_AUTO && &form != &own)) continue;
      all->push_back(
          {"rondo_chat_grammar", std::string(form.what) + kCalls[calls], true, [&form, calls] {
             return Grammar(form, calls, calls == RONDO_CALLS_ONE ? "stop" : nullptr);
           }});
    }
  }
  AddParsers(all);
}

}  // namespace rondo::abi_test
