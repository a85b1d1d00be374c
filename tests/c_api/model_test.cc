// Opening models the right way and the wrong ways; facts; text to ids and back.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include "tests/c_api/tiny_model.h"
#include "tests/support/places.h"
#include "tests/temp_folder.h"

namespace rondo::abi_test::model_test {
namespace {

// What a call may have written to, padding included.
std::string_view Bytes(const rondo_session_options& options) {
  return {reinterpret_cast<const char*>(&options), sizeof options};
}

// Expects the status, no handle, and a message.
void ExpectRefused(int32_t status, int32_t expected, const rondo_model* model, const char* why) {
  EXPECT_EQ(status, expected) << why;
  EXPECT_EQ(model, nullptr);
  EXPECT_STRNE(why, "");
}

void Write(const std::filesystem::path& path, const std::vector<unsigned char>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

TEST(ModelTest, RefusesWhatIsNoModel) {
  const TempFolder folder;
  std::vector<unsigned char> whole = ReadFile(TinyModelPath());
  Write(folder / "empty", {});
  Write(folder / "noise", std::vector<unsigned char>(1000, 0x5a));
  Write(folder / "cut", {whole.begin(), whole.end() - 1});
  std::vector<unsigned char> newer = whole;
  newer[4] = 99;
  Write(folder / "newer", newer);
  const struct {
    std::string path;
    int32_t expected;
  } cases[] = {
      {(folder / "absent").string(), RONDO_STATUS_IO_ERROR},
      {folder.path().string(), RONDO_STATUS_IO_ERROR},
      {(folder / "empty").string(), RONDO_STATUS_NOT_A_MODEL},
      {(folder / "noise").string(), RONDO_STATUS_NOT_A_MODEL},
      {(folder / "cut").string(), RONDO_STATUS_CORRUPT},
      {(folder / "newer").string(), RONDO_STATUS_NEWER_FORMAT},
  };
  for (const auto& c : cases) {
    auto* model = reinterpret_cast<rondo_model*>(1);
    char why[256] = "";
    const int32_t status =
        rondo_model_open_path(RONDO_ABI_VERSION, c.path.c_str(), &model, why, sizeof why);
    SCOPED_TRACE(c.path);
    ExpectRefused(status, c.expected, model, why);
  }
}

// Cut where the metadata begins, which byte 16 of the header tells.
TEST(ModelTest, OpensInParts) {
  const std::vector<unsigned char> whole = ReadFile(TinyModelPath());
  uint64_t metadata = 0;
  std::memcpy(&metadata, whole.data() + 16, sizeof metadata);
  const auto aligned = [](const std::vector<unsigned char>& bytes, size_t begin, size_t end) {
    auto* const copy =
        static_cast<unsigned char*>(std::aligned_alloc(64, (end - begin + 63) / 64 * 64));
    std::copy(bytes.begin() + static_cast<long>(begin), bytes.begin() + static_cast<long>(end),
              copy);
    return std::unique_ptr<unsigned char, decltype(&std::free)>(copy, std::free);
  };
  const auto first = aligned(whole, 0, metadata);
  const auto second = aligned(whole, metadata, whole.size());
  rondo_model_part parts[] = {{first.get(), metadata}, {second.get(), whole.size() - metadata}};
  rondo_model* opened = nullptr;
  char why[256] = "";
  ASSERT_EQ(rondo_model_open_parts(RONDO_ABI_VERSION, parts, 2, &opened, why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  const Model model(opened);
  const Model tiny = OpenTiny();
  const std::vector<int32_t> prompt = Ids(model.get(), "Once upon a time");
  const auto text = [&](rondo_model* of) {
    const Engine engine = NewEngine(of);
    const Session session = NewSession(engine.get());
    EXPECT_EQ(rondo_session_prefill(session.get(), prompt.data(), prompt.size()), RONDO_STATUS_OK);
    return Generate(session.get(), 20).tokens;
  };
  EXPECT_EQ(text(model.get()), text(tiny.get()));

  const auto refuse = [&](const rondo_model_part* p, uint32_t n, int32_t expected) {
    auto* refused = reinterpret_cast<rondo_model*>(1);
    const int32_t status =
        rondo_model_open_parts(RONDO_ABI_VERSION, p, n, &refused, why, sizeof why);
    ExpectRefused(status, expected, refused, why);
  };
  refuse(nullptr, 2, RONDO_STATUS_INVALID_ARGUMENT);
  refuse(parts, 0, RONDO_STATUS_INVALID_ARGUMENT);
  refuse(std::vector<rondo_model_part>(65, parts[0]).data(), 65, RONDO_STATUS_INVALID_ARGUMENT);
  refuse(parts, 1, RONDO_STATUS_CORRUPT);
  std::swap(parts[0], parts[1]);
  refuse(parts, 2, RONDO_STATUS_INVALID_ARGUMENT);
  parts[0] = {nullptr, 64};
  refuse(parts, 2, RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_model_open_parts(RONDO_ABI_VERSION + 1, parts, 2, &opened, why, sizeof why),
            RONDO_STATUS_VERSION_MISMATCH);
}

TEST(ModelTest, OpensFromInsideOfAnotherFile) {
  const TempFolder folder;
  std::vector<unsigned char> package(640, 0xee);
  const std::vector<unsigned char> whole = ReadFile(TinyModelPath());
  package.insert(package.end(), whole.begin(), whole.end());
  package.insert(package.end(), 100, 0xee);
  Write(folder / "package", package);
  const int fd = open((folder / "package").c_str(), O_RDONLY);
  ASSERT_GE(fd, 0);
  rondo_model* model = nullptr;
  char why[256] = "";
  ASSERT_EQ(rondo_model_open_fd(RONDO_ABI_VERSION, fd, 640, whole.size(), &model, why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  rondo_model* refused = nullptr;
  int32_t status =
      rondo_model_open_fd(RONDO_ABI_VERSION, fd, 641, whole.size(), &refused, why, sizeof why);
  ExpectRefused(status, RONDO_STATUS_INVALID_ARGUMENT, refused, why);
  status = rondo_model_open_fd(RONDO_ABI_VERSION, fd, 640, 1 << 30, &refused, why, sizeof why);
  ExpectRefused(status, RONDO_STATUS_IO_ERROR, refused, why);
  close(fd);  // the model does not need it
  status = rondo_model_open_fd(RONDO_ABI_VERSION, -1, 0, UINT64_MAX, &refused, why, sizeof why);
  ExpectRefused(status, RONDO_STATUS_IO_ERROR, refused, why);
  EXPECT_FALSE(Ids(model, "it works").empty());
  rondo_model_close(model);
}

TEST(ModelTest, OpensFromMemory) {
  const std::vector<unsigned char> whole = ReadFile(TinyModelPath());
  void* memory = std::aligned_alloc(64, (whole.size() + 127) / 64 * 64);
  std::memcpy(memory, whole.data(), whole.size());
  rondo_model* model = nullptr;
  char why[256] = "";
  ASSERT_EQ(
      rondo_model_open_memory(RONDO_ABI_VERSION, memory, whole.size(), &model, why, sizeof why),
      RONDO_STATUS_OK)
      << why;
  EXPECT_FALSE(Ids(model, "it works").empty());
  rondo_model_close(model);
  rondo_model* refused = nullptr;
  const int32_t status =
      rondo_model_open_memory(RONDO_ABI_VERSION, static_cast<unsigned char*>(memory) + 1,
                              whole.size(), &refused, why, sizeof why);
  ExpectRefused(status, RONDO_STATUS_INVALID_ARGUMENT, refused, why);
  std::free(memory);
}

TEST(ModelTest, MessagesAreCutToFit) {
  rondo_model* model = nullptr;
  char why[8];
  std::memset(why, 'x', sizeof why);
  EXPECT_EQ(rondo_model_open_path(RONDO_ABI_VERSION, "/no/such/file", &model, why, 5),
            RONDO_STATUS_IO_ERROR);
  EXPECT_EQ(std::strlen(why), 4u);
  EXPECT_EQ(why[5], 'x');
  EXPECT_EQ(rondo_model_open_path(RONDO_ABI_VERSION, "/no/such/file", &model, nullptr, 0),
            RONDO_STATUS_IO_ERROR);
}

TEST(ModelTest, Facts) {
  const Model model = OpenTiny();
  rondo_model_facts facts = {};
  facts.struct_size = sizeof facts;
  ASSERT_EQ(rondo_model_info(model.get(), &facts), RONDO_STATUS_OK);
  EXPECT_EQ(facts.file_bytes, ReadFile(TinyModelPath()).size());
  EXPECT_EQ(facts.has_tokenizer, 1u);
  EXPECT_GT(facts.tokenizer_bytes, 100'000u);
  EXPECT_LE(facts.tokenizer_bytes, 2u << 20);
  EXPECT_EQ(facts.n_heads % facts.n_kv_heads, 0u);
  EXPECT_GT(facts.parameters, uint64_t{facts.vocab_size} * facts.hidden_size);
  ASSERT_GE(facts.n_eos_tokens, 1u);
  int32_t token = -1;
  EXPECT_EQ(rondo_model_eos_token(model.get(), facts.n_eos_tokens, &token),
            RONDO_STATUS_INVALID_ARGUMENT);

  size_t length = 0;
  char name[64];
  EXPECT_EQ(rondo_model_fact(model.get(), "architecture", nullptr, 0, &length),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  ASSERT_GT(length, 0u);
  std::memset(name, 'x', sizeof name);
  EXPECT_EQ(rondo_model_fact(model.get(), "architecture", name, length, &length),
            RONDO_STATUS_BUFFER_TOO_SMALL);  // no room for the zero
  EXPECT_EQ(name[0], '\0');
  EXPECT_EQ(rondo_model_fact(model.get(), "architecture", name, length + 1, &length),
            RONDO_STATUS_OK);
  EXPECT_EQ(std::strlen(name), length);
  EXPECT_EQ(rondo_model_fact(model.get(), "no such key", name, sizeof name, &length),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(length, 0u);
  for (uint32_t i = 0; i < 100; ++i) {
    char key[256];
    char value[4096];
    const int32_t status = rondo_model_fact_key(model.get(), i, key, sizeof key, &length);
    if (status == RONDO_STATUS_INVALID_ARGUMENT) return;
    ASSERT_EQ(status, RONDO_STATUS_OK);
    EXPECT_EQ(rondo_model_fact(model.get(), key, value, sizeof value, &length), RONDO_STATUS_OK);
  }
  FAIL() << "no end of facts";
}

// What the tiny model becomes with this generation_config.json.
Model OpenRecommending(const TempFolder& folder, const std::string& generation) {
  const std::filesystem::path checkpoint = folder / "checkpoint";
  std::filesystem::copy(std::string(kTestData) + "/tiny", checkpoint);
  std::ofstream(checkpoint / "generation_config.json") << generation;
  const std::string file = (folder / "model.rondo").string();
  const std::string command = std::string("'") + kToolProgram + "' convert '" +
                              checkpoint.string() + "' -o '" + file + "' > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT(cert-env33-c)
  rondo_model* model = nullptr;
  EXPECT_EQ(rondo_model_open_path(RONDO_ABI_VERSION, file.c_str(), &model, nullptr, 0),
            RONDO_STATUS_OK);
  return Model(model);
}

TEST(ModelTest, RecommendsSampling) {
  const TempFolder folder;
  const Model model = OpenRecommending(
      folder, R"({"do_sample": true, "temperature": 0.75, "top_k": 20, "top_p": 0.5,
                  "min_p": 0.25, "repetition_penalty": 1.5})");
  rondo_session_options options = SessionOptions();
  options.seed = 7;
  options.max_tokens = 3;
  ASSERT_EQ(rondo_model_session_options(model.get(), &options), RONDO_STATUS_OK);
  rondo_session_options expected = SessionOptions();
  expected.temperature = 0.75f;
  expected.top_k = 20;
  expected.top_p = 0.5f;
  expected.min_p = 0.25f;
  expected.repetition_penalty = 1.5f;
  expected.penalty_last_n = 4096;
  expected.seed = 7;
  expected.max_tokens = 3;
  EXPECT_EQ(Bytes(options), Bytes(expected));
  const Engine engine = NewEngine(model.get());
  NewSession(engine.get(), options);  // what is recommended is taken
}

constexpr const char* kLists = R"({"suppress_tokens": [5, 3], "stop_strings": ["Q:", "\n\n"],
                                   "no_repeat_ngram_size": 4})";

TEST(ModelTest, RecommendsLists) {
  const TempFolder folder;
  const Model model = OpenRecommending(folder, kLists);
  rondo_session_options options = SessionOptions();
  ASSERT_EQ(rondo_model_session_options(model.get(), &options), RONDO_STATUS_OK);
  EXPECT_EQ(options.no_repeat_ngram_size, 4u);
  ASSERT_EQ(options.n_logit_bias, 2u);
  EXPECT_EQ(options.logit_bias[0].token, 3);
  EXPECT_EQ(options.logit_bias[1].token, 5);
  EXPECT_EQ(options.logit_bias[1].bias, -std::numeric_limits<float>::infinity());
  ASSERT_EQ(options.n_stop_strings, 2u);
  EXPECT_STREQ(options.stop_strings[0], "Q:");
  EXPECT_STREQ(options.stop_strings[1], "\n\n");
  const Engine engine = NewEngine(model.get());
  NewSession(engine.get(), options);
}

TEST(ModelTest, ListsOfTheCallersOwnStay) {
  const TempFolder folder;
  const Model model = OpenRecommending(folder, kLists);
  const rondo_logit_bias bias = {9, 1};
  const char* stop = "stop";
  rondo_session_options options = SessionOptions();
  options.logit_bias = &bias;
  options.n_logit_bias = 1;
  options.stop_strings = &stop;
  options.n_stop_strings = 1;
  ASSERT_EQ(rondo_model_session_options(model.get(), &options), RONDO_STATUS_OK);
  EXPECT_EQ(options.logit_bias, &bias);
  EXPECT_EQ(options.stop_strings, &stop);
  EXPECT_EQ(options.n_stop_strings, 1u);
}

// What was compiled before there were lists gets what it knows.
TEST(ModelTest, CallersOfEarlierVersionsGetNumbersOnly) {
  const TempFolder folder;
  OpenRecommending(folder, kLists);
  const std::string path = (folder / "model.rondo").string();
  rondo_model* raw = nullptr;
  ASSERT_EQ(rondo_model_open_path(4, path.c_str(), &raw, nullptr, 0), RONDO_STATUS_OK);
  const Model model(raw);
  rondo_session_options options = SessionOptions();
  const rondo_session_options before = options;
  EXPECT_EQ(rondo_model_session_options(model.get(), &options), RONDO_STATUS_OK);
  EXPECT_EQ(Bytes(options), Bytes(before));
}

TEST(ModelTest, RecommendsNoMoreThanTheCallersStructHasRoomFor) {
  const TempFolder folder;
  const Model model = OpenRecommending(folder, kLists);
  for (const size_t size :
       {offsetof(rondo_session_options, speculation), offsetof(rondo_session_options, adapter)}) {
    rondo_session_options options;
    std::memset(&options, 0xa5, sizeof options);
    const rondo_session_options before = options;
    ASSERT_EQ(rondo_session_options_init(&options, size), RONDO_STATUS_OK);
    ASSERT_EQ(rondo_model_session_options(model.get(), &options), RONDO_STATUS_OK);
    EXPECT_EQ(options.no_repeat_ngram_size, 4u);
    EXPECT_EQ(options.n_stop_strings, 2u);
    EXPECT_EQ(Bytes(options).substr(size), Bytes(before).substr(size));
  }
}

TEST(ModelTest, WithoutARecommendationOptionsStay) {
  const Model model = OpenTiny();
  rondo_session_options options = SessionOptions();
  options.temperature = 0.25f;
  options.penalty_last_n = 5;
  const rondo_session_options before = options;
  EXPECT_EQ(rondo_model_session_options(model.get(), &options), RONDO_STATUS_OK);
  EXPECT_EQ(Bytes(options), Bytes(before));
}

TEST(ModelTest, RecommendsNothingIntoOptionsOfNoSize) {
  const TempFolder folder;
  const Model model = OpenRecommending(folder, R"({"do_sample": true})");
  for (const uint32_t size : {0u, 4u, 1'000'000u}) {
    rondo_session_options options = SessionOptions();
    options.struct_size = size;
    const rondo_session_options before = options;
    EXPECT_EQ(rondo_model_session_options(model.get(), &options), RONDO_STATUS_VERSION_MISMATCH);
    EXPECT_EQ(Bytes(options), Bytes(before));
  }
}

TEST(TextTest, ThereAndBack) {
  const Model model = OpenTiny();
  const std::string text = "Once upon a time, there was a l\xc3\xa9opard \xf0\x9f\x90\x86.";
  const std::vector<int32_t> ids = Ids(model.get(), text);
  size_t length = 0;
  EXPECT_EQ(rondo_detokenize(model.get(), ids.data(), ids.size(), RONDO_DETOKENIZE_SKIP_SPECIAL,
                             nullptr, 0, &length),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(length, text.size());
  std::string back(length + 1, 'x');
  EXPECT_EQ(rondo_detokenize(model.get(), ids.data(), ids.size(), RONDO_DETOKENIZE_SKIP_SPECIAL,
                             back.data(), length, &length),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(back[0], '\0');
  EXPECT_EQ(rondo_detokenize(model.get(), ids.data(), ids.size(), RONDO_DETOKENIZE_SKIP_SPECIAL,
                             back.data(), back.size(), &length),
            RONDO_STATUS_OK);
  EXPECT_STREQ(back.c_str(), text.c_str());
}

TEST(TextTest, CountsWhatDoesNotFit) {
  const Model model = OpenTiny();
  const std::string text = "Once upon a time";
  const std::vector<int32_t> ids = Ids(model.get(), text);
  size_t count = 0;
  EXPECT_EQ(rondo_tokenize(model.get(), text.data(), text.size(), RONDO_TOKENIZE_ADD_SPECIAL,
                           nullptr, 0, &count),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(count, ids.size());
  int32_t few[3] = {-7, -7, -7};
  EXPECT_EQ(rondo_tokenize(model.get(), text.data(), text.size(), RONDO_TOKENIZE_ADD_SPECIAL, few,
                           2, &count),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(count, ids.size());
  EXPECT_EQ(few[0], ids[0]);
  EXPECT_EQ(few[2], -7);
}

TEST(TextTest, HostileInput) {
  const Model model = OpenTiny();
  int32_t ids[64];
  size_t count = 7;
  EXPECT_EQ(rondo_tokenize(model.get(), nullptr, 0, 0, ids, 64, &count), RONDO_STATUS_OK);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(rondo_tokenize(model.get(), nullptr, 3, 0, ids, 64, &count),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_tokenize(model.get(), "x", 1, 0x80, ids, 64, &count),
            RONDO_STATUS_INVALID_ARGUMENT);
  // Not UTF-8: read as U+FFFD, which the tokenizer knows as bytes.
  const char bytes[] = "a\xff\xc3(\xf0\x9f\x00z";
  ASSERT_EQ(rondo_tokenize(model.get(), bytes, sizeof bytes - 1, 0, ids, 64, &count),
            RONDO_STATUS_OK);
  EXPECT_GT(count, 4u);
  char text[64];
  size_t length = 7;
  const int32_t bad[] = {1, -1};
  EXPECT_EQ(rondo_detokenize(model.get(), bad, 2, 0, text, sizeof text, &length),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(length, 0u);
  EXPECT_STREQ(text, "");
  const int32_t large[] = {INT32_MAX};
  EXPECT_EQ(rondo_detokenize(model.get(), large, 1, 0, text, sizeof text, &length),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_detokenize(model.get(), nullptr, 0, 0, text, sizeof text, &length),
            RONDO_STATUS_OK);
  EXPECT_STREQ(text, "");
}

}  // namespace
}  // namespace rondo::abi_test::model_test
