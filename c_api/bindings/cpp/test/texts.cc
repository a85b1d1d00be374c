#include <fstream>
#include <regex>

#include "support.h"

namespace {

// b19, b20, b23
void Generate(const rondo::Model& model, const rondo::Engine& engine) {
  const std::string text = Said(engine);
  CHECK(!text.empty());
  CHECK(rondo::Session(engine, Limited()).Generate(model.Tokenize(kPrompt)) == text);
  const auto reason = [&](const rondo::SessionOptions& options) {
    rondo::Session session(engine, options);
    int32_t last = RONDO_REASON_NONE;
    for (const rondo::Event& event : session.Stream(kPrompt)) last = event.reason;
    return last;
  };
  CHECK(reason(Limited(4)) == RONDO_REASON_TOKEN_LIMIT);
  rondo::SessionOptions stopping = Limited();
  stopping.stop = {"never there", text.substr(4, 4)};
  CHECK(reason(stopping) == RONDO_REASON_STOP_STRING);
  // b22
  CHECK(Said(engine, stopping) == text.substr(0, 4));
  stopping.stop = {std::string("a\0b", 3)};
  CHECK(Refusal([&] { Said(engine, stopping); }, "zero byte") == RONDO_STATUS_INVALID_ARGUMENT);
  rondo::SessionOptions ending = Limited();
  ending.bias = {{1, 1e9f}};
  CHECK(reason(ending) == RONDO_REASON_EOS);
}

// b21
void WholeCharacters(const rondo::Model& model, const rondo::Engine& engine) {
  rondo::SessionOptions options;
  options.grammar = rondo::Grammar::FromPattern(model, "(\xC3\xBC|\xF0\x9F\x99\x82){6}");
  rondo::Session session(engine, options);
  std::string text;
  int pieces = 0;
  for (const rondo::Event& event : session.Stream(kPrompt)) {
    const unsigned char first =
        event.text.empty() ? 'a' : static_cast<unsigned char>(event.text[0]);
    CHECK((first & 0xC0) != 0x80);  // never the middle of one
    text += event.text;
    ++pieces;
  }
  CHECK(pieces > 6 && text == Said(engine, options));
}

// b24, b25
void LeftEarly(const rondo::Engine& engine) {
  rondo::Session session(engine, Limited(100));
  int n = 0;
  for (const rondo::Event& event : session.Stream(kPrompt)) {
    (void)event;
    if (++n == 3) break;
  }
  CHECK(session.Stats().tokens_generated == 3);  // nothing ahead
  session.Reset();
  CHECK(session.Generate(kPrompt).substr(0, 4) == Said(engine).substr(0, 4));
}

// b24
void TwoStreams(const rondo::Engine& engine) {
  rondo::Session session(engine, Limited(100));
  rondo::Session::Events old = session.Stream(kPrompt);
  rondo::Session::Events next = session.Stream(kPrompt);
  CHECK(next.begin()->token >= 0);
  CHECK(Refusal([&] { old.begin(); }, "another generation") == RONDO_STATUS_BUSY);
  CHECK(!session.Generate().empty());
  CHECK(Refusal([&] { next.begin(); }, "another generation") == RONDO_STATUS_BUSY);
}

// b26
void Seeds(const rondo::Engine& engine) {
  rondo::SessionOptions hot = Limited();
  hot.temperature = 1.5f;
  const std::string first = Said(engine, hot);
  CHECK(Said(engine, hot) == first);
  hot.seed = 7;
  const std::string second = Said(engine, hot);
  hot.seed = 8;
  CHECK(second != first || Said(engine, hot) != first);
}

rondo::Chat Asked() {
  rondo::Chat chat;
  chat.messages = R"([{"role": "user", "content": "How is the weather?"}])";
  return chat;
}

// b27
void Chats(const rondo::Model& model, const rondo::Engine& engine) {
  rondo::Session session(engine, Limited());
  const rondo::Reply reply = session.Chat(Asked());
  CHECK(!reply.text.empty() && reply.reason != RONDO_REASON_NONE);
  std::string parts;
  for (const rondo::ChatPart& part : session.ChatStream(Asked())) {
    if (part.kind == RONDO_CHAT_PART_CONTENT) parts += part.text;
  }
  CHECK(parts == reply.text);
  (void)model;
  for (const char letter : reply.text) {
    rondo::SessionOptions stops = Limited();
    stops.stop = {std::string(1, letter)};
    CHECK(rondo::Session(engine, stops).Chat(Asked()).text ==
          reply.text.substr(0, reply.text.find(letter)));
  }
}

// b29
void Calls(const rondo::Model& model, const rondo::Engine& engine) {
  rondo::Chat chat = Asked();
  chat.tools =
      R"([{"type": "function", "function": {"name": "weather", "parameters": {"type": "object",
      "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"],
      "additionalProperties": false}}}])";
  rondo::SessionOptions options;
  options.grammar = rondo::Grammar::FromRules(model, model.ChatGrammar(chat, RONDO_CALLS_ONE));
  const rondo::Reply reply = rondo::Session(engine, options).Chat(chat);
  CHECK(reply.calls.size() == 1 && reply.calls[0].name == "weather");
  CHECK(std::regex_match(reply.calls[0].arguments,
                         std::regex(R"x(\{\s*"city":\s*"(Rome|Oslo)"\s*\})x")));
}

// b30
void Json(const rondo::Engine& engine) {
  rondo::SessionOptions options;
  options.temperature = 1.0f;
  options.json_schema =
      R"({"type": "object", "properties": {"name": {"type": "string", "pattern": "^[a-z]{1,8}$"},
      "age": {"type": "integer", "minimum": 10, "maximum": 99}}, "required": ["name", "age"]})";
  CHECK(std::regex_match(Said(engine, options),
                         std::regex(R"(\{"name": "[a-z]{1,8}", "age": [1-9][0-9]\})")));
}

// b31, b32
void Vectors() {
  const rondo::Model model(Path("RONDO_TEST_EMBEDDER"));
  const rondo::Engine engine(model, [] {
    rondo::EngineOptions options;
    options.max_sessions = 2;
    return options;
  }());
  const std::vector<std::string> texts = {"the sky is blue", "Once upon a time", "no"};
  rondo::EmbedOptions alone;
  alone.prompt = "";
  const auto found = engine.Embed(texts, alone);
  const auto asked = engine.Embed({std::string("Once upon a time")}, alone)[0];
  size_t best = 0;
  float highest = -1;
  for (size_t i = 0; i < found.size(); ++i) {
    float similar = 0, squares = 0;
    for (size_t j = 0; j < asked.size(); ++j) {
      similar += found[i][j] * asked[j];
      squares += found[i][j] * found[i][j];
    }
    CHECK(squares > 0.999f && squares < 1.001f);
    if (similar > highest) highest = similar, best = i;
  }
  CHECK(found.size() == 3 && texts[best] == "Once upon a time");
  alone.prompt = "poem";
  CHECK(Refusal([&] { engine.Embed(texts, alone); }) == RONDO_STATUS_INVALID_ARGUMENT);
  CHECK(engine.Stats().sessions_open == 0);
  const rondo::Session a(engine), b(engine);
  CHECK(Refusal([&] { engine.Embed(texts); }) == RONDO_STATUS_BUSY);

  const rondo::Model scorer(Path("RONDO_TEST_SCORER"));
  const std::vector<float> scores = rondo::Engine(scorer).Score("Where?", {"a hill", "the sea"});
  CHECK(scores.size() == 2 && scores[0] > 0 && scores[0] < 1 && scores[0] != scores[1]);
}

// b33: as the program rondo says, whose answer is in the file.
void Pictures() {
  const std::string seeing = Path("RONDO_TEST_SEEING");
  const std::string folder = seeing.substr(0, seeing.rfind('/'));
  std::ifstream file(folder + "/picture.rgba", std::ios::binary);
  const std::vector<unsigned char> pixels{std::istreambuf_iterator<char>(file), {}};
  std::ifstream answer(folder + "/picture.txt", std::ios::binary);
  std::string wanted{std::istreambuf_iterator<char>(answer), {}};
  if (!wanted.empty() && wanted.back() == '\n') wanted.pop_back();
  const rondo::Model model(seeing);
  rondo::EngineOptions options;
  options.max_media_rows = model.ImagePlan(40, 24).rows;
  const rondo::Engine engine(model, options);
  rondo::Chat chat;
  chat.messages = R"([{"role": "user", "content": [
      {"type": "image"}, {"type": "text", "text": "What is in the picture?"}]}])";
  const rondo::Media media(engine, rondo::Image(pixels, 40, 24, RONDO_PIXELS_RGBA8));
  rondo::Session session(engine, Limited(64));
  session.AppendMedia(model.ChatIds(chat), {media});
  CHECK(session.Generate() == wanted);
  CHECK(!session.Chat(chat, {media}).text.empty());
  CHECK(Refusal([&] { session.Chat(chat); }) == RONDO_STATUS_INVALID_ARGUMENT);
}

// b34
void Adapters(const rondo::Model& model) {
  rondo::EngineOptions options = Small();
  options.adapter_rank = 4;
  const rondo::Engine engine(model, options);
  rondo::SessionOptions with = Limited();
  with.adapter.emplace(model, Path("RONDO_TEST_ADAPTER"));
  rondo::Session session(engine, with);
  with.adapter.reset();  // the session goes on
  CHECK(session.Generate(kPrompt) != Said(engine, with));
}

}  // namespace

void TestTexts() {
  const rondo::Model model(Path("RONDO_TEST_MODEL"));
  const rondo::Engine engine(model, Small());
  Generate(model, engine);
  WholeCharacters(model, engine);
  LeftEarly(engine);
  TwoStreams(engine);
  Seeds(engine);
}

void TestMore() {
  const rondo::Model calling(Path("RONDO_TEST_CALLING"));
  const rondo::Engine engine(calling, Small());
  Chats(calling, engine);
  Calls(calling, engine);
  Json(engine);
  Vectors();
  Pictures();
  Adapters(rondo::Model(Path("RONDO_TEST_MODEL")));
}
