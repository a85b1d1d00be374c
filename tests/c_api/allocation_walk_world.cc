#include "tests/c_api/allocation_walk_world.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/places.h"
#include "tests/temp_folder.h"

namespace rondo::abi_test {
namespace {

// A tokenizer as SentencePiece makes them: pieces with scores, and "▁" for a space.
std::string UnigramTokenizer() {
  std::string vocab = R"(["<unk>", 0], ["</s>", 0], ["<think>", 0])";
  const char* const pieces[] = {"\u2581", "\u2581the", "\u2581a", "er", "in", "ing", "on"};
  for (const char* piece : pieces) vocab += std::string(", [\"") + piece + "\", -3.5]";
  for (char c = ' '; c < 127; ++c) {
    vocab += std::string(", [\"") + (c == '"' || c == '\\' ? "\\" : "") + c + "\", -7.25]";
  }
  return R"({"version": "1.0", "truncation": null, "padding": null, "added_tokens": [
      {"id": 1, "content": "</s>", "single_word": false, "lstrip": false, "rstrip": false,
       "normalized": false, "special": true},
      {"id": 2, "content": "<think>", "single_word": false, "lstrip": false, "rstrip": false,
       "normalized": true, "special": true}],
    "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"},
      {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
    "pre_tokenizer": {"type": "Metaspace", "replacement": ")"
         "\u2581"
         R"(", "prepend_scheme": "always", "split": true},
    "post_processor": null,
    "decoder": {"type": "Metaspace", "replacement": ")"
         "\u2581"
         R"(", "prepend_scheme": "always", "split": true},
    "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": false, "vocab": [)" +
         vocab + "]}}";
}

constexpr const char* kTemplate =
    "{% for m in messages %}[{{ m.role }}]{% if m.reasoning_content %}<think>\n"
    "{{ m.reasoning_content }}\n</think>\n{% endif %}{{ m.content }}{% for c in m.tool_calls %}"
    "<call>{{ c.function.name }} {{ c.function.arguments|tojson }}</call>{% endfor %}[end]"
    "{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}";

std::string Convert(const std::filesystem::path& model, const std::filesystem::path& file) {
  const std::string command = std::string("'") + kToolProgram + "' convert '" + model.string() +
                              "' -o '" + file.string() + "' --weights q8 > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT(cert-env33-c)
  return file.string();
}

void CopyTiny(const std::filesystem::path& to) {
  std::filesystem::copy(std::string(kTestData) + "/tiny", to,
                        std::filesystem::copy_options::recursive);
}

}  // namespace

const WalkFiles& FilesOfWalk() {
  static const TempFolder folder;
  static const WalkFiles files = [] {
    const auto talker = folder.path() / "talker", embedder = folder.path() / "embedder";
    CopyTiny(talker);
    std::ofstream(talker / "tokenizer.json") << UnigramTokenizer();
    std::ofstream(talker / "chat_template.jinja") << kTemplate;
    CopyTiny(embedder);
    std::filesystem::create_directories(embedder / "1_Pooling");
    std::ofstream(embedder / "modules.json") << R"([{"path": "", "type": "a.Transformer"},
        {"path": "1_Pooling", "type": "a.Pooling"}])";
    std::ofstream(embedder / "1_Pooling/config.json") << R"({"pooling_mode_mean_tokens": true})";
    std::ofstream(embedder / "config_sentence_transformers.json") << R"({"prompts":
        {"query": "Query: "}, "default_prompt_name": "query"})";
    return WalkFiles{TinyModelPath(), TinyAdapterPath(), Convert(talker, folder / "talker.rondo"),
                     Convert(embedder, folder / "embedder.rondo"), SeeingModelPath()};
  }();
  return files;
}

rondo_model* OpenForWalk(const std::string& path) {
  rondo_model* model = nullptr;
  char why[256];
  EXPECT_EQ(rondo_model_open_path(RONDO_ABI_VERSION, path.c_str(), &model, why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  return model;
}

rondo_image WalkImage() {
  static const std::vector<unsigned char> noise = [] {
    std::vector<unsigned char> bytes(40 * 40 * 3);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * i * 7);
    return bytes;
  }();
  rondo_image image = {};
  image.struct_size = sizeof image;
  image.width = image.height = 40;
  image.plane0 = noise.data();
  return image;
}
rondo_image_options WalkImageOptions() {
  rondo_image_options options;
  EXPECT_EQ(rondo_image_options_init(&options, sizeof options), RONDO_STATUS_OK);
  return options;
}

World& TheWorld() {
  static World world;
  return world;
}

rondo_model* World::tiny() {
  if (tiny_ == nullptr) tiny_.reset(OpenForWalk(FilesOfWalk().tiny));
  return tiny_.get();
}
rondo_model* World::talker() {
  if (talker_ == nullptr) talker_.reset(OpenForWalk(FilesOfWalk().talker));
  return talker_.get();
}
rondo_model* World::embedder() {
  if (embedder_ == nullptr) embedder_.reset(OpenForWalk(FilesOfWalk().embedder));
  return embedder_.get();
}
rondo_model* World::seeing() {
  if (seeing_ == nullptr) seeing_.reset(OpenForWalk(FilesOfWalk().seeing));
  return seeing_.get();
}
rondo_engine* World::seeing_engine() {
  if (seeing_engine_ == nullptr) {
    rondo_engine_options options = EngineOptions();
    options.max_media_rows = 100;
    seeing_engine_ = NewEngine(seeing(), options);
  }
  return seeing_engine_.get();
}
rondo_media* World::media() {
  if (media_ == nullptr) {
    const rondo_image image = WalkImage();
    const rondo_image_options options = WalkImageOptions();
    rondo_media* made = nullptr;
    char why[256];
    EXPECT_EQ(rondo_media_create(seeing_engine(), &image, &options, &made, why, sizeof why),
              RONDO_STATUS_OK)
        << why;
    media_.reset(made);
  }
  return media_.get();
}
rondo_adapter* World::adapter() {
  if (adapter_ == nullptr) adapter_ = OpenTinyAdapter(tiny());
  return adapter_.get();
}
rondo_engine* World::engine() {
  if (engine_ == nullptr) engine_ = NewEngine(tiny(), Options());
  return engine_.get();
}
rondo_engine* World::talker_engine() {
  if (talker_engine_ == nullptr) talker_engine_ = NewEngine(talker());
  return talker_engine_.get();
}
rondo_engine* World::embedder_engine() {
  if (embedder_engine_ == nullptr) embedder_engine_ = NewEngine(embedder());
  return embedder_engine_.get();
}

rondo_engine_options World::Options() {
  rondo_engine_options options = EngineOptions();
  options.max_sessions = 3;
  options.adapter_rank = kTinyAdapterRank;
  options.max_input_rows = 16;
  options.profile_events = 100;
  options.no_prefix_cache = 1;  // each run finds the engine as it was
  return options;
}

Session World::Prompted() {
  Session session = NewSession(engine());
  const std::vector<int32_t> ids = Ids(tiny(), kStory);
  EXPECT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  return session;
}

std::string Speak(rondo_model* model, rondo_session* session) {
  const std::vector<int32_t> ids = Ids(model, "Once upon a time");
  EXPECT_EQ(rondo_session_prefill(session, ids.data(), ids.size()), RONDO_STATUS_OK);
  const Generated said = Generate(session, 8);
  Bytes bytes;
  for (const int32_t token : said.tokens) bytes.Add(token);
  return bytes.Text(said.text).Add(said.reason).Take();
}

std::string Speak(rondo_model* model, rondo_engine* engine) {
  const Session session = NewSession(engine);
  return Speak(model, session.get());
}

std::string Describe(rondo_model* model) {
  rondo_model_facts facts = {};
  facts.struct_size = sizeof facts;
  EXPECT_EQ(rondo_model_info(model, &facts), RONDO_STATUS_OK);
  Bytes bytes;
  bytes.Add(facts);
  for (const int32_t id : Ids(model, kStory)) bytes.Add(id);
  return bytes.Take();
}

}  // namespace rondo::abi_test
