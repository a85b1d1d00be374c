// Handles that are closed while a call is in the middle of its work, as another thread may do. The
// moment is the call's first access to memory that this test has taken away.
#include <signal.h>
#include <sys/mman.h>

#include <cstring>
#include <functional>
#include <string>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test::closing_test {
namespace {

constexpr char kPrompt[] = "Once upon a time, there was a girl who had a cat.";

// Pages that call `then` when they are accessed for the first time.
class Pages {
 public:
  explicit Pages(size_t bytes)
      : begin_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
        bytes_(bytes) {
    EXPECT_NE(begin_, MAP_FAILED);
    struct sigaction action = {};
    action.sa_sigaction = OnFault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    for (size_t i = 0; i < 2; ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  ~Pages() {
    for (size_t i = 0; i < 2; ++i) sigaction(kSignals[i], &before_[i], nullptr);
    EXPECT_EQ(armed_, nullptr) << "the pages were not accessed";
    armed_ = nullptr;
    munmap(begin_, bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  void* begin() const { return begin_; }
  void Arm(std::function<void()> then) {
    then_ = std::move(then);
    armed_ = this;
    EXPECT_EQ(mprotect(begin_, bytes_, PROT_NONE), 0);
  }

 private:
  static constexpr int kSignals[] = {SIGSEGV, SIGBUS};  // by system

  static void OnFault(int number, siginfo_t* fault, void*) {
    Pages* const pages = armed_;
    const auto at = reinterpret_cast<uintptr_t>(fault->si_addr);
    const auto begin = pages == nullptr ? 0 : reinterpret_cast<uintptr_t>(pages->begin_);
    if (pages == nullptr || at < begin || at - begin >= pages->bytes_) {
      signal(number, SIG_DFL);  // a fault of the library: the program ends
      return;
    }
    armed_ = nullptr;
    mprotect(pages->begin_, pages->bytes_, PROT_READ | PROT_WRITE);
    pages->then_();
  }

  static inline Pages* armed_ = nullptr;
  void* const begin_;
  const size_t bytes_;
  std::function<void()> then_;
  struct sigaction before_[2];
};

size_t ArenaBytes(rondo_model* model, const rondo_engine_options& options) {
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  EXPECT_EQ(rondo_plan(model, &options, &plan, nullptr, 0), RONDO_STATUS_OK);
  return static_cast<size_t>(plan.arena_bytes);
}

// An engine in such pages, with an adapter and a grammar for its sessions.
class ClosingTest : public testing::Test {
 protected:
  ClosingTest() {
    rondo_engine* engine = nullptr;
    EXPECT_EQ(rondo_engine_create(model_.get(), &engine_options_, pages_.begin(), bytes_, &engine,
                                  why_, sizeof why_),
              RONDO_STATUS_OK)
        << why_;
    engine_.reset(engine);
    rondo_grammar_options grammar_options;
    rondo_grammar_options_init(&grammar_options, sizeof grammar_options);
    grammar_options.kind = RONDO_GRAMMAR_JSON_SCHEMA;
    const std::string schema = R"({"type": "string", "maxLength": 12})";
    EXPECT_EQ(rondo_grammar_create(model_.get(), &grammar_options, schema.data(), schema.size(),
                                   nullptr, 0, &grammar_, why_, sizeof why_),
              RONDO_STATUS_OK)
        << why_;
    options_.adapter = adapter_.get();
    options_.grammar = grammar_;
    options_.max_tokens = 30;
    expected_ = TokensOf(NewSession(engine_.get(), options_).get());
  }
  ~ClosingTest() override { rondo_grammar_close(grammar_); }

  void CloseAll() {
    session_.reset();
    engine_.reset();
    adapter_.reset();
    rondo_grammar_close(grammar_);
    grammar_ = nullptr;
    model_.reset();
  }
  std::vector<int32_t> TokensOf(rondo_session* session) {
    EXPECT_EQ(rondo_session_prefill(session, ids_.data(), ids_.size()), RONDO_STATUS_OK);
    return Generate(session).tokens;
  }

  static rondo_engine_options EngineWithAdapters() {
    rondo_engine_options options = EngineOptions();
    options.adapter_rank = kTinyAdapterRank;
    options.max_sessions = 2;
    return options;
  }

  char why_[256] = "";
  Model model_ = OpenTiny();
  const std::vector<int32_t> ids_ = Ids(model_.get(), kPrompt);
  const rondo_engine_options engine_options_ = EngineWithAdapters();
  const size_t bytes_ = ArenaBytes(model_.get(), engine_options_);
  Pages pages_{bytes_};
  Adapter adapter_ = OpenTinyAdapter(model_.get());
  rondo_grammar* grammar_ = nullptr;
  Engine engine_;
  Session session_;
  rondo_session_options options_ = SessionOptions();
  std::vector<int32_t> expected_;
};

TEST_F(ClosingTest, ASessionThatIsOpenedKeepsWhatItWorksWith) {
  pages_.Arm([this] { CloseAll(); });
  rondo_session* session = nullptr;
  ASSERT_EQ(rondo_session_open(engine_.get(), &options_, &session, why_, sizeof why_),
            RONDO_STATUS_OK)
      << why_;
  EXPECT_EQ(engine_, nullptr);
  session_.reset(session);
  EXPECT_EQ(TokensOf(session), expected_);
}

// Its grammar: the rest its source has, too.
TEST_F(ClosingTest, AForkKeepsWhatItWorksWith) {
  rondo_session_options without = options_;
  without.grammar = nullptr;
  session_ = NewSession(engine_.get(), without);
  pages_.Arm([this] { CloseAll(); });
  rondo_session* fork = nullptr;
  ASSERT_EQ(rondo_session_fork(session_.get(), &options_, &fork, why_, sizeof why_),
            RONDO_STATUS_OK)
      << why_;
  EXPECT_EQ(engine_, nullptr);
  session_.reset(fork);
  EXPECT_EQ(TokensOf(fork), expected_);
}

// A session that is refused gives back what it would have worked with.
TEST_F(ClosingTest, ASessionThatIsRefusedLeavesNothing) {
  const Session first = NewSession(engine_.get());
  session_ = NewSession(engine_.get());
  rondo_session* third = nullptr;
  EXPECT_EQ(rondo_session_open(engine_.get(), &options_, &third, why_, sizeof why_),
            RONDO_STATUS_BUSY);
  EXPECT_EQ(third, nullptr);
  session_.reset();
  session_ = NewSession(engine_.get(), options_);
  EXPECT_EQ(TokensOf(session_.get()), expected_);
}

TEST(Closing, AnAdapterThatIsOpenedKeepsItsModel) {
  Model model = OpenTiny();
  const std::vector<unsigned char> bytes = ReadFile(TinyAdapterPath());
  Pages pages(bytes.size());
  std::memcpy(pages.begin(), bytes.data(), bytes.size());
  pages.Arm([&] { model.reset(); });
  rondo_adapter* opened = nullptr;
  char why[256] = "";
  ASSERT_EQ(
      rondo_adapter_open_memory(model.get(), pages.begin(), bytes.size(), &opened, why, sizeof why),
      RONDO_STATUS_OK)
      << why;
  EXPECT_EQ(model, nullptr);
  const Adapter adapter(opened);
  rondo_adapter_facts facts = {};
  facts.struct_size = sizeof facts;
  ASSERT_EQ(rondo_adapter_info(opened, &facts), RONDO_STATUS_OK);
  EXPECT_EQ(facts.n_matrices, 1u);
}

TEST(Closing, ATextThatIsTokenizedKeepsItsModel) {
  Model model = OpenTiny();
  const std::vector<int32_t> expected = Ids(model.get(), kPrompt);
  Pages pages(sizeof kPrompt);
  std::memcpy(pages.begin(), kPrompt, sizeof kPrompt);
  const rondo_model* const handle = model.get();
  int32_t inside = RONDO_STATUS_OK;
  size_t count = 0;
  pages.Arm([&] {
    model.reset();
    rondo_model_close(const_cast<rondo_model*>(handle));
    rondo_model_facts facts = {};
    facts.struct_size = sizeof facts;
    inside = rondo_model_info(handle, &facts);
  });
  std::vector<int32_t> ids(expected.size());
  EXPECT_EQ(rondo_tokenize(handle, static_cast<const char*>(pages.begin()), sizeof kPrompt - 1,
                           RONDO_TOKENIZE_ADD_SPECIAL, ids.data(), ids.size(), &count),
            RONDO_STATUS_OK);
  EXPECT_EQ(ids, expected);
  EXPECT_EQ(inside, RONDO_STATUS_INVALID_HANDLE) << "no call enters any more";
}

// Whoever comes while a parser takes text, or hands out a part, is told so.
TEST(Closing, AParserHasOneCallAtATime) {
  const Model model = OpenTiny();
  rondo_chat_options options;
  ASSERT_EQ(rondo_chat_options_init(&options, sizeof options), RONDO_STATUS_OK);
  options.template_text = "{%- for m in messages -%}{{ m.role }}: {{ m.content }}\n{%- endfor -%}";
  options.template_bytes = std::strlen(options.template_text);
  rondo_chat_parser* parser = nullptr;
  char why[256] = "";
  ASSERT_EQ(rondo_chat_parser_create(model.get(), &options, &parser, why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  Pages pages(sizeof kPrompt);
  std::memcpy(pages.begin(), kPrompt, sizeof kPrompt);
  rondo_chat_part part = {};
  part.struct_size = sizeof part;
  pages.Arm([&] {
    EXPECT_EQ(rondo_chat_parser_push(parser, "a", 1, 0), RONDO_STATUS_BUSY);
    EXPECT_EQ(rondo_chat_parser_next(parser, &part), RONDO_STATUS_BUSY);
    EXPECT_EQ(rondo_chat_parser_reset(parser), RONDO_STATUS_BUSY);
  });
  const size_t bytes = sizeof kPrompt - 1;
  EXPECT_EQ(rondo_chat_parser_push(parser, static_cast<const char*>(pages.begin()), bytes, 1),
            RONDO_STATUS_OK);
  EXPECT_EQ(rondo_chat_parser_next(parser, &part), RONDO_STATUS_OK);
  EXPECT_EQ(std::string(part.text, part.text_bytes), kPrompt);
  rondo_chat_parser_close(parser);
  EXPECT_EQ(rondo_chat_parser_next(parser, &part), RONDO_STATUS_INVALID_HANDLE);
}

}  // namespace
}  // namespace rondo::abi_test::closing_test
