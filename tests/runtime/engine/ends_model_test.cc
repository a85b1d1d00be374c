// Whether a generation has ended, and why, is a function of the tokens, of where the generation
// began and of the options: whatever calls a session has had, it is as a plain record of them says.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <random>

#include "runtime/generation/grammar_vocabulary.h"
#include "tests/support/test_model.h"

namespace rondo::ends_model_test {
namespace {

constexpr uint32_t kContext = 48;

const TestModel& Tiny() {
  static const TestModel model(TestData("tiny"), format::TensorFormat::Q8);
  return model;
}

int32_t Eos() { return static_cast<int32_t>(Tiny().file().model().eos_tokens()->Get(0)); }

std::unique_ptr<Engine> NewEngine() {
  EngineOptions options;
  options.context = kContext;
  options.max_sessions = 3;
  options.max_rows = 16;
  options.threads = 1;
  return Tiny().NewEngine(options);
}

// "cat" or "dog".
class CatOrDog {
 public:
  CatOrDog() {
    const auto vocab = Tiny().file().model().vocab_size();
    auto trie = grammar::TokenTrie::Create(GrammarVocabulary(*Tiny().tokenizer(), vocab));
    trie_ = std::move(*trie);
    const grammar::GrammarOptions options = {.kind = grammar::GrammarKind::kPattern,
                                             .bytes = uint64_t{1} << 20};
    const char* const text = "(cat|dog)";
    const size_t size =
        grammar::Grammar::Bytes(options, std::strlen(text), trie_.mask_words()) / 64 + 1;
    memory_.resize(size);
    const uint32_t end = static_cast<uint32_t>(Eos());
    grammar_ = *grammar::Grammar::Create(options, text, trie_, {&end, 1},
                                         {reinterpret_cast<uint8_t*>(memory_.data()), 64 * size});
  }
  ~CatOrDog() { std::destroy_at(grammar_); }
  CatOrDog(const CatOrDog&) = delete;
  CatOrDog& operator=(const CatOrDog&) = delete;
  grammar::Grammar* get() const { return grammar_; }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  grammar::TokenTrie trie_;
  std::vector<Line> memory_;
  grammar::Grammar* grammar_;
};

// What a session holds, as tokens and the generations that they are of.
class Record {
 public:
  Record(const SessionOptions& options, std::string stop)
      : options_(options), stop_(std::move(stop)) {}

  uint64_t position() const { return tokens_.size(); }
  const std::vector<int32_t>& tokens() const { return tokens_; }

  FinishReason End() const {
    if (drawn_ != FinishReason::kNone) return drawn_;
    std::string text;
    for (uint64_t at = begin_; at < position(); ++at) {
      const auto bytes = Tiny().tokenizer()->TokenBytes(tokens_[at]);
      if (!Tiny().tokenizer()->IsSpecial(tokens_[at])) text.append(bytes.begin(), bytes.end());
    }
    if (position() > begin_) {
      if (!options_.ignore_eos && tokens_.back() == Eos()) return FinishReason::kEos;
      if (!stop_.empty() && text.find(stop_) != std::string::npos) return FinishReason::kStopString;
      if (options_.constraint.grammar != nullptr && (text == "cat" || text == "dog")) {
        return FinishReason::kGrammar;
      }
    }
    const bool enough = options_.max_tokens > 0 && generated_ >= options_.max_tokens;
    return enough ? FinishReason::kTokenLimit : FinishReason::kNone;
  }

  // An end that no token of the sequence made.
  void Draw(FinishReason reason) { drawn_ = reason; }
  void Prompt(const std::vector<int32_t>& ids) {
    Leave();
    tokens_.insert(tokens_.end(), ids.begin(), ids.end());
    Begin();
  }
  void Generate(int32_t token) {
    tokens_.push_back(token);
    ++generated_;
  }
  void Accept(int32_t token) {
    if (End() != FinishReason::kNone) {  // the next text; max_tokens goes on
      Leave();
      begin_ = position();
      drawn_ = FinishReason::kNone;
    }
    Generate(token);
  }
  void Undo(uint64_t n) {
    if (n == 0) return;
    const uint64_t left = position() - n;
    Place place = {begin_, generated_, told_, FinishReason::kNone, position()};
    while (!past_.empty() && past_.back().left_at >= left) {
      place = past_.back();
      past_.pop_back();
    }
    const uint64_t undone = place.left_at - left;
    tokens_.resize(left);
    if (left < place.begin) return Begin();
    begin_ = place.begin;
    told_ = place.told;
    generated_ = place.generated - std::min(place.generated, undone);
    drawn_ = undone == 0 ? place.drawn : FinishReason::kNone;
  }
  void Reset() { *this = Record(options_, stop_); }
  // Events told the text of all tokens.
  bool AllTold() const { return told_ >= position(); }
  void Tell() { told_ = position(); }
  // Generations before this one are forgotten.
  void Restored() {
    past_.clear();
    Tell();
  }
  void Forked() {
    past_.clear();
    Begin();
  }

 private:
  struct Place {
    uint64_t begin, generated, told;
    FinishReason drawn;
    uint64_t left_at;
  };
  void Leave() {
    if (generated_ == 0 && position() == begin_ && End() == FinishReason::kNone) return;
    past_.push_back({begin_, generated_, told_, drawn_, position()});
    if (past_.size() > PastTexts::kMost) past_.erase(past_.begin());
  }
  void Begin() {
    begin_ = position();
    generated_ = 0;
    drawn_ = FinishReason::kNone;
    Tell();
  }

  SessionOptions options_;
  std::string stop_;
  std::vector<int32_t> tokens_;
  std::vector<Place> past_;
  uint64_t begin_ = 0;
  uint64_t generated_ = 0;
  uint64_t told_ = 0;  // tokens before here
  FinishReason drawn_ = FinishReason::kNone;
};

class Ends : public testing::Test {
 protected:
  void Begin(uint32_t seed) {
    random_.seed(seed);
    options_ = SessionOptions();
    options_.sampler.temperature = 2;
    options_.sampler.seed = seed;
    options_.ignore_eos = seed % 5 == 0;
    if (seed % 2 == 0) options_.max_tokens = 1 + random_() % 6;
    stop_ = seed % 3 == 0 ? std::string(1, "eaton "[random_() % 6]) : "";
    stop_view_ = stop_;
    if (!stop_.empty()) options_.stop_strings = {&stop_view_, 1};
    if (seed % 4 == 0) options_.constraint.grammar = grammar_.get();
    if (seed % 4 == 1) options_.constraint.thinking = {true, "a", "e", 3};
    if (seed % 4 != 0) {
      bias_ = {Eos(), 6.5f};  // so that it comes now and then
      options_.sampler.logit_bias = {&bias_, 1};
    }
    if (seed % 3 == 1) options_.speculation = Speculation::kPromptLookup;
    session_ = NewSession(*engine_, options_);
    record_.emplace(options_, stop_);
    waits_ = step_waits_ = false;
    saved_.clear();
  }
  void TearDown() override {
    if (session_ != nullptr) engine_->CloseSession(session_);
  }

  std::vector<int32_t> Ids(size_t n) {
    std::vector<int32_t> ids(n);
    for (int32_t& id : ids)
      id = static_cast<int32_t>(random_() % (random_() % 2 == 0 ? 300 : 2048));
    return ids;
  }

  // A token that came without its event being looked at.
  bool CheckGrown() {
    if (session_->position() == record_->position()) return false;
    EXPECT_EQ(session_->position(), record_->position() + 1);
    record_->Generate(session_->keys()[record_->position()]);
    return true;
  }

  // An event of Next or TakeEvent, which waited or is new.
  void CheckEvent(const TokenEvent& event, bool is_next) {
    const bool all_told = record_->AllTold();
    CheckReason(event, is_next, all_told);
    record_->Tell();
  }
  void CheckReason(const TokenEvent& event, bool is_next, bool all_told) {
    const FinishReason before = record_->End();
    if (waits_) {  // what it brought is in the record
      waits_ = false;
      if (before != FinishReason::kNone) {
        ASSERT_EQ(event.reason, before);
        return;
      }
    } else if (before != FinishReason::kNone) {
      ASSERT_EQ(event.reason, before);
      ASSERT_EQ(event.token, -1) << "an end is told without a token";
      if (all_told) {
        ASSERT_EQ(event.text, "") << "of which all was told";
      }
      ASSERT_FALSE(CheckGrown()) << "generated beyond an end";
      return;
    } else if (CheckGrown()) {
      ASSERT_EQ(event.reason, record_->End());
      return;
    }
    const bool draws = event.reason == FinishReason::kEos ||
                       (event.reason == FinishReason::kContextFull && session_->remaining() == 0);
    if (draws) return record_->Draw(event.reason);
    ASSERT_EQ(event.reason, FinishReason::kNone);
    ASSERT_TRUE(event.token >= 0 || !is_next);
  }

  // One call; what it did, for messages.
  std::string Call() {
    const uint32_t call = random_() % 16;
    switch (call) {
      case 0:
      case 1: {
        const std::vector<int32_t> ids = Ids(1 + random_() % (call == 0 ? 4 : 20));
        if (ids.size() > session_->remaining()) break;
        const bool queues = random_() % 3 == 0;
        const Status status = queues ? session_->Queue(ids) : session_->Prefill(ids);
        if (!status.ok()) return status.message();
        record_->Prompt(ids);
        waits_ = false;
        return queues ? "queue" : "prefill";
      }
      case 2: {
        const int32_t token = random_() % 4 == 0 ? Eos() : Ids(1)[0];
        if (!session_->Accept(token).ok()) return "failed accept";
        record_->Accept(token);
        waits_ = true;
        step_waits_ = false;
        return "accept";
      }
      case 3:
      case 4:
      case 5: {
        const uint64_t n =
            random_() % 3 == 0 ? 0 : random_() % std::min<uint64_t>(8, record_->position() + 1);
        if (session_->Undo(n).ok()) {
          record_->Undo(n);
          waits_ = false;
        }
        return "undo " + std::to_string(n);
      }
      case 6: {
        std::vector<uint8_t> bytes(1 << 20);
        size_t size;
        EXPECT_TRUE(session_->Save(bytes, &size).ok());
        bytes.resize(size);
        saved_ = bytes;
        saved_record_ = record_;
        return "save";
      }
      case 7:
        if (saved_.empty()) break;
        EXPECT_TRUE(session_->Restore(saved_).ok());
        record_ = saved_record_;
        record_->Restored();
        waits_ = false;
        return "restore";
      case 8: {
        const auto fork = engine_->ForkSession(*session_, options_);
        if (!fork.ok()) break;
        if (random_() % 2 == 0) {  // go on with either
          engine_->CloseSession(*fork);
          return "fork";
        }
        engine_->CloseSession(session_);
        session_ = *fork;
        record_->Forked();
        waits_ = false;
        return "become a fork";
      }
      case 9: {
        session_->Cancel();
        const StatusCode code = random_() % 2 == 0 && session_->remaining() >= 30
                                    ? session_->Prefill(Ids(30)).code()
                                    : session_->Logits().status().code();
        if (code == StatusCode::kCancelled) return "cancelled call";
        session_->Reset();  // and drop the cancellation
        record_->Reset();
        waits_ = false;
        return "reset";
      }
      case 10: {
        const std::vector<int32_t> bad = {5, 1 << 30};
        EXPECT_FALSE(session_->Prefill(bad).ok());
        EXPECT_FALSE(session_->Queue({}).ok());
        EXPECT_FALSE(session_->Undo(1000).ok());
        EXPECT_FALSE(session_->Accept(-1).ok());
        EXPECT_FALSE(session_->Propose(bad).ok());
        EXPECT_FALSE(session_->Restore(std::vector<uint8_t>(100)).ok());
        return "refused calls";
      }
      case 11:
        EXPECT_TRUE(session_->Propose(Ids(1 + random_() % 7)).ok());
        return "propose";
      case 12:
      case 13: {
        const FinishReason before = record_->End();
        const Status status = Session::Step(engine_.get(), {&session_, 1});
        if (!status.ok()) {
          EXPECT_TRUE(step_waits_) << status.message();
          return "refused step";
        }
        step_waits_ = true;
        const bool grown = CheckGrown();
        EXPECT_FALSE(grown && before != FinishReason::kNone) << "generated beyond an end";
        waits_ = grown;
        if (random_() % 3 == 0) return "step";
        step_waits_ = false;
        const auto event = session_->TakeEvent();
        if (event.ok()) CheckEvent(*event, false);
        return "step and event";
      }
      case 14:
        if (record_->position() == 0 || random_() % 4 != 0) break;
        session_->Reset();
        record_->Reset();
        waits_ = false;
        return "reset";
      default:
        break;
    }
    waits_ = waits_ && step_waits_;
    step_waits_ = false;
    const auto event = session_->Next();
    if (event.ok()) CheckEvent(*event, true);
    return "next";
  }

  // A session that is restored from this one, and this one, say the same of the end.
  void Probe() {
    std::vector<uint8_t> bytes(1 << 20);
    size_t size;
    ASSERT_TRUE(session_->Save(bytes, &size).ok());
    Session* const twin = NewSession(*engine_, options_);
    ASSERT_TRUE(twin->Restore({bytes.data(), size}).ok());
    const FinishReason end = record_->End();
    const uint64_t before = twin->position();
    const auto event = twin->Next();
    if (end != FinishReason::kNone) {
      EXPECT_TRUE(event.ok() && event->reason == end && event->token == -1 &&
                  twin->position() == before);
    } else if (event.ok() && twin->position() == before) {
      EXPECT_TRUE(event->reason == FinishReason::kEos ||
                  event->reason == FinishReason::kContextFull);
    }
    engine_->CloseSession(twin);
  }

  const CatOrDog grammar_;
  const std::unique_ptr<Engine> engine_ = NewEngine();
  std::mt19937 random_;
  SessionOptions options_;
  LogitBias bias_ = {};
  std::string stop_;
  std::string_view stop_view_;
  Session* session_ = nullptr;
  std::optional<Record> record_, saved_record_;
  std::vector<uint8_t> saved_;
  bool waits_ = false;       // an event of a token that is in the record
  bool step_waits_ = false;  // maybe, an event of a step
};

TEST_F(Ends, AreWhatTheTokensSay) {
  size_t ends[6] = {};
  for (uint32_t seed = 0; seed < 400; ++seed) {
    Begin(seed);
    std::string story = "seed " + std::to_string(seed) + ":";
    for (int i = 0; i < 60; ++i) {
      story += " " + Call();
      ++ends[static_cast<size_t>(record_->End())];
      ASSERT_EQ(session_->position(), record_->position()) << story;
      if (random_() % 3 == 0) Probe();
      ASSERT_FALSE(HasFailure()) << story;
    }
    engine_->CloseSession(std::exchange(session_, nullptr));
  }
  for (const size_t count : ends) EXPECT_GT(count, 20u) << "each reason comes";
}

}  // namespace
}  // namespace rondo::ends_model_test
