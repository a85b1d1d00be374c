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

namespace {

// Of q_proj and v_proj of the first layer, as PEFT saves it.
void WriteTinyPeft(const std::filesystem::path& folder) {
  std::ofstream(folder / "adapter_config.json")
      << R"({"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj", "v_proj"]})";
  std::string header = "{";
  size_t bytes = 0;
  const auto add = [&](const std::string& name, size_t rows, size_t cols) {
    const size_t end = bytes + rows * cols * sizeof(float);
    header += (bytes == 0 ? "\"" : ", \"") + std::string("base_model.model.model.layers.0.") +
              "self_attn." + name + ".weight\": {\"dtype\": \"F32\", \"shape\": [" +
              std::to_string(rows) + ", " + std::to_string(cols) + "], \"data_offsets\": [" +
              std::to_string(bytes) + ", " + std::to_string(end) + "]}";
    bytes = end;
  };
  add("q_proj.lora_A", 4, 192);
  add("q_proj.lora_B", 192, 4);
  add("v_proj.lora_A", 4, 192);
  add("v_proj.lora_B", 64, 4);
  header += "}";
  const uint64_t length = header.size();
  std::ofstream out(folder / "adapter_model.safetensors", std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << header;
  for (size_t i = 0; i < bytes / sizeof(float); ++i) {
    const float value = static_cast<float>(i * i % 31) / 31 - 0.5f;
    out.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
}

}  // namespace

const std::string& TinyAdapterPath() {
  static const TempFolder folder;
  static const std::string path = [] {
    WriteTinyPeft(folder.path());
    std::string file = (folder.path() / "adapter.rondo").string();
    const std::string command = std::string("'") + kToolProgram + "' convert '" +
                                folder.path().string() + "' --adapter-for '" + TinyModelPath() +
                                "' -o '" + file + "' > /dev/null";
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

Model OpenTiny() {
  rondo_model* model = nullptr;
  char why[256];
  EXPECT_EQ(
      rondo_model_open_path(RONDO_ABI_VERSION, TinyModelPath().c_str(), &model, why, sizeof why),
      RONDO_STATUS_OK)
      << why;
  return Model(model);
}

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
