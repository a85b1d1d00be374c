// Adapters through rondo.h: opened and closed in any order, shared, refused by name.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test::adapter_test {
namespace {

constexpr char kPrompt[] = "Once upon a time, there was a girl who had a cat.";

rondo_engine_options WithRank(uint32_t rank, uint32_t sessions = 4) {
  rondo_engine_options options = EngineOptions();
  options.adapter_rank = rank;
  options.max_sessions = sessions;
  return options;
}

rondo_session_options With(rondo_adapter* adapter) {
  rondo_session_options options = SessionOptions();
  options.adapter = adapter;
  options.max_tokens = 30;
  return options;
}

std::vector<int32_t> Tokens(rondo_model* model, rondo_session* session) {
  const std::vector<int32_t> ids = Ids(model, kPrompt);
  EXPECT_EQ(rondo_session_prefill(session, ids.data(), ids.size()), RONDO_STATUS_OK);
  return Generate(session).tokens;
}

class AdapterTest : public testing::Test {
 protected:
  AdapterTest()
      : model_(OpenTiny()),
        adapter_(OpenTinyAdapter(model_.get())),
        engine_(NewEngine(model_.get(), WithRank(kTinyAdapterRank))) {}

  std::vector<int32_t> TokensWith(rondo_adapter* adapter) {
    const Session session = NewSession(engine_.get(), With(adapter));
    return Tokens(model_.get(), session.get());
  }
  // How opening a session with these options ends, and the sentence.
  int32_t Open(rondo_engine* engine, const rondo_session_options& options) {
    rondo_session* session = nullptr;
    const int32_t status = rondo_session_open(engine, &options, &session, why_, sizeof why_);
    rondo_session_close(session);
    return status;
  }

  const Model model_;
  Adapter adapter_;
  const Engine engine_;
  char why_[256] = "";
};

TEST_F(AdapterTest, TellsWhatItIs) {
  rondo_adapter_facts facts = {};
  EXPECT_EQ(rondo_adapter_info(adapter_.get(), &facts), RONDO_STATUS_VERSION_MISMATCH);
  facts.struct_size = sizeof facts;
  ASSERT_EQ(rondo_adapter_info(adapter_.get(), &facts), RONDO_STATUS_OK);
  EXPECT_EQ(facts.rank, kTinyAdapterRank);
  EXPECT_EQ(facts.n_matrices, 1u);  // q and v are of one matrix
  EXPECT_EQ(facts.file_bytes, ReadFile(TinyAdapterPath()).size());
  int64_t most = 0;
  EXPECT_EQ(rondo_query("limit.adapter_rank", &most), RONDO_STATUS_OK);
  EXPECT_EQ(most, 1024);
}

TEST_F(AdapterTest, ChangesWhatIsGeneratedAndNothingElse) {
  const std::vector<int32_t> plain = [&] {
    const Engine engine = NewEngine(model_.get());
    const Session session = NewSession(engine.get(), With(nullptr));
    return Tokens(model_.get(), session.get());
  }();
  const std::vector<int32_t> adapted = TokensWith(adapter_.get());
  EXPECT_NE(adapted, plain);
  EXPECT_EQ(TokensWith(nullptr), plain);
  EXPECT_EQ(TokensWith(adapter_.get()), adapted);
}

TEST_F(AdapterTest, FromMemory) {
  const std::vector<int32_t> expected = TokensWith(adapter_.get());
  const std::vector<unsigned char> bytes = ReadFile(TinyAdapterPath());
  const size_t rounded = (bytes.size() + 127) / 64 * 64;
  const std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(64, rounded),
                                                           &std::free);
  std::memcpy(memory.get(), bytes.data(), bytes.size());
  rondo_adapter* adapter = nullptr;
  ASSERT_EQ(rondo_adapter_open_memory(model_.get(), memory.get(), bytes.size(), &adapter, why_,
                                      sizeof why_),
            RONDO_STATUS_OK)
      << why_;
  EXPECT_EQ(TokensWith(adapter), expected);
  rondo_adapter_close(adapter);
  EXPECT_EQ(rondo_adapter_open_memory(model_.get(), static_cast<char*>(memory.get()) + 1,
                                      bytes.size() - 1, &adapter, why_, sizeof why_),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_adapter_open_memory(model_.get(), memory.get(), bytes.size() - 1, &adapter, why_,
                                      sizeof why_),
            RONDO_STATUS_CORRUPT);
  EXPECT_EQ(
      rondo_adapter_open_memory(model_.get(), memory.get(), SIZE_MAX, &adapter, why_, sizeof why_),
      RONDO_STATUS_CORRUPT);
  EXPECT_EQ(adapter, nullptr);
}

TEST_F(AdapterTest, SessionsKeepIt) {
  const std::vector<int32_t> expected = TokensWith(adapter_.get());
  const Session session = NewSession(engine_.get(), With(adapter_.get()));
  adapter_.reset();
  EXPECT_EQ(Tokens(model_.get(), session.get()), expected);
}

TEST_F(AdapterTest, AForkHasItsSourcesAdapter) {
  const std::vector<int32_t> expected = TokensWith(adapter_.get());
  const std::vector<int32_t> ids = Ids(model_.get(), kPrompt);
  const Session session = NewSession(engine_.get(), With(adapter_.get()));
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  const Adapter other = OpenTinyAdapter(model_.get());  // the same file, but another handle
  rondo_session_options options = With(other.get());
  rondo_session* fork = nullptr;
  EXPECT_EQ(rondo_session_fork(session.get(), &options, &fork, why_, sizeof why_),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(why_).find("a fork has its source's adapter"), std::string::npos);
  adapter_.reset();
  options = With(nullptr);
  ASSERT_EQ(rondo_session_fork(session.get(), &options, &fork, why_, sizeof why_), RONDO_STATUS_OK);
  const Session forked(fork);
  EXPECT_EQ(Generate(forked.get()).tokens, expected);
  EXPECT_EQ(Generate(session.get()).tokens, expected);
}

TEST_F(AdapterTest, IsRefusedByName) {
  const Engine small = NewEngine(model_.get(), WithRank(kTinyAdapterRank - 1));
  EXPECT_EQ(Open(small.get(), With(adapter_.get())), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(why_, "the adapter's rank is 4, but engine option adapter_rank is 3");
  const Model again = OpenTiny();
  const Engine other = NewEngine(again.get(), WithRank(kTinyAdapterRank));
  EXPECT_EQ(Open(other.get(), With(adapter_.get())), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(why_, "the adapter was opened for another model than the engine's");
  rondo_session_options options = SessionOptions();
  options.adapter = reinterpret_cast<rondo_adapter*>(model_.get());
  EXPECT_EQ(Open(engine_.get(), options), RONDO_STATUS_INVALID_HANDLE);

  const rondo_engine_options too_large = WithRank(1025);
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  EXPECT_EQ(rondo_plan(model_.get(), &too_large, &plan, why_, sizeof why_),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(why_, "engine option adapter_rank is 1025, but must be 0 to 1024");
}

TEST_F(AdapterTest, OtherFilesAreRefused) {
  rondo_adapter* adapter = nullptr;
  const auto open = [&](const char* path) {
    return rondo_adapter_open_path(model_.get(), path, &adapter, why_, sizeof why_);
  };
  EXPECT_EQ(open(TinyModelPath().c_str()), RONDO_STATUS_NOT_A_MODEL);
  EXPECT_EQ(open("/nowhere/adapter.rondo"), RONDO_STATUS_IO_ERROR);
  EXPECT_EQ(open(nullptr), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(adapter, nullptr);
  EXPECT_EQ(rondo_adapter_open_path(nullptr, TinyAdapterPath().c_str(), &adapter, nullptr, 0),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_adapter_open_path(model_.get(), TinyAdapterPath().c_str(), nullptr, nullptr, 0),
            RONDO_STATUS_INVALID_ARGUMENT);
  rondo_adapter_close(nullptr);
  rondo_model* model = nullptr;
  EXPECT_EQ(rondo_model_open_path(RONDO_ABI_VERSION, TinyAdapterPath().c_str(), &model, why_,
                                  sizeof why_),
            RONDO_STATUS_NOT_A_MODEL);
  EXPECT_NE(std::string(why_).find("it is an adapter"), std::string::npos);
}

// While a session with one and one without generate, adapters come and go.
TEST_F(AdapterTest, ComesAndGoesWhileOthersRun) {
  const std::vector<int32_t> adapted = TokensWith(adapter_.get()), plain = TokensWith(nullptr);
  std::atomic<bool> done{false};
  std::thread others([&] {
    while (!done) {
      const Adapter adapter = OpenTinyAdapter(model_.get());
      EXPECT_EQ(TokensWith(adapter.get()), adapted);
    }
  });
  std::thread without([&] {
    for (int i = 0; i < 10; ++i) EXPECT_EQ(TokensWith(nullptr), plain);
  });
  for (int i = 0; i < 10; ++i) EXPECT_EQ(TokensWith(adapter_.get()), adapted);
  without.join();
  done = true;
  others.join();
}

}  // namespace
}  // namespace rondo::abi_test::adapter_test
