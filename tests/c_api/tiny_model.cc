#include "tests/c_api/tiny_model.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/places.h"
#include "tests/temp_folder.h"

namespace rondo::abi_test {

const std::string& TinyModelPath() {
  static const TempFolder folder;
  static const std::string path = [] {
    std::string file = (folder.path() / "tiny.rondo").string();
    const std::string command = std::string("'") + kToolProgram + "' convert '" + kTestData +
                                "/tiny' -o '" + file + "' --weights q8 > /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return file;
  }();
  return path;
}

const std::string& TinyAdapterPath() {
  static const TempFolder folder;
  static const std::string path = [] {
    std::string file = (folder.path() / "adapter.rondo").string();
    const std::string command = std::string("'") + kToolProgram + "' convert '" + kTestData +
                                "/tiny_adapter' --adapter-for '" + TinyModelPath() + "' -o '" +
                                file + "' > /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return file;
  }();
  return path;
}

const std::string& SeeingModelPath() {
  static const TempFolder folder;
  static const std::string path = [] {
    std::string file = (folder.path() / "seeing.rondo").string();
    const std::string command = std::string("'") + kToolProgram + "' convert '" + kTestData +
                                "/seeing' -o '" + file + "' --weights q8 > /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return file;
  }();
  return path;
}

Adapter OpenTinyAdapter(rondo_model* model) {
  rondo_adapter* adapter = nullptr;
  char why[256];
  EXPECT_EQ(rondo_adapter_open_path(model, TinyAdapterPath().c_str(), &adapter, why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  return Adapter(adapter);
}

std::vector<unsigned char> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

namespace {
Model Open(const std::string& path) {
  rondo_model* model = nullptr;
  char why[256];
  EXPECT_EQ(rondo_model_open_path(RONDO_ABI_VERSION, path.c_str(), &model, why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  return Model(model);
}
}  // namespace

Model OpenTiny() { return Open(TinyModelPath()); }
Model OpenSeeing() { return Open(SeeingModelPath()); }

rondo_engine_options EngineOptions() {
  rondo_engine_options options;
  EXPECT_EQ(rondo_engine_options_init(&options, sizeof options), RONDO_STATUS_OK);
  options.context = 256;
  options.max_rows = 64;  // prompts go in several passes
  options.threads = 1;
  return options;
}

rondo_session_options SessionOptions() {
  rondo_session_options options;
  EXPECT_EQ(rondo_session_options_init(&options, sizeof options), RONDO_STATUS_OK);
  return options;
}

Engine NewEngine(rondo_model* model, const rondo_engine_options& options) {
  rondo_engine* engine = nullptr;
  char why[256];
  EXPECT_EQ(rondo_engine_create(model, &options, nullptr, 0, &engine, why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  return Engine(engine);
}

Session NewSession(rondo_engine* engine, const rondo_session_options& options) {
  rondo_session* session = nullptr;
  char why[256];
  EXPECT_EQ(rondo_session_open(engine, &options, &session, why, sizeof why), RONDO_STATUS_OK)
      << why;
  return Session(session);
}

std::vector<int32_t> Ids(const rondo_model* model, const std::string& text) {
  std::vector<int32_t> ids(text.size() + 8);
  size_t count = 0;
  EXPECT_EQ(rondo_tokenize(model, text.data(), text.size(), RONDO_TOKENIZE_ADD_SPECIAL, ids.data(),
                           ids.size(), &count),
            RONDO_STATUS_OK);
  ids.resize(count);
  return ids;
}

Generated Generate(rondo_session* session, size_t max_events) {
  Generated out;
  rondo_event event = {};
  event.struct_size = sizeof event;
  for (size_t i = 0; i < max_events && event.reason == RONDO_REASON_NONE; ++i) {
    EXPECT_EQ(rondo_session_next(session, &event), RONDO_STATUS_OK)
        << rondo_session_last_error(session);
    if (event.token >= 0) out.tokens.push_back(event.token);
    out.text.append(event.text, event.text_bytes);
  }
  out.reason = event.reason;
  return out;
}

}  // namespace rondo::abi_test
