// Generation: a request that is being answered: one session, or one for each choice.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rondo/rondo.hpp"
#include "tools/common/utf8.h"
#include "tools/dialogue/answer.h"
#include "tools/dialogue/stop_hold.h"
#include "tools/serve/http/exchange.h"
#include "tools/serve/metrics.h"
#include "tools/serve/served_model.h"
#include "tools/serve/sink.h"

namespace rondo::tools::serve {

// What is generated. It holds all that a session needs, so that opening one is quick.
struct GenerationWish {
  std::shared_ptr<ServedModel> model;
  std::vector<int32_t> ids;
  std::vector<rondo::Media> media;
  uint64_t positions = 0;  // of the prompt
  rondo::SessionOptions options;
  std::vector<std::string> stops;  // of the options, or the model's own
  size_t choices = 1;
  std::vector<int32_t> prediction;  // tokens that the answer may have
  size_t top_logprobs = 0;
  bool one_call = false;  // an answer ends with its first
  // Where answers have parts: what makes a reader of them.
  std::optional<rondo::Chat> chat;
};

// Sessions of a generation that any thread may cancel: the library looks their handles up, so that
// one that is closed does no harm.
class Cancellable {
 public:
  void Add(rondo_session* session);
  void Cancel();

 private:
  std::mutex mutex_;
  std::vector<rondo_session*> sessions_;
  bool cancelled_ = false;
};

class Generation {
 public:
  Generation(GenerationWish wish, std::shared_ptr<Exchange> exchange, std::unique_ptr<Sink> sink);
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  const GenerationWish& wish() const { return wish_; }
  size_t sessions_wanted() const { return wish_.choices; }
  const Exchange& exchange() const { return *exchange_; }

  // ---- The thread that steps --------------------------------------------------------------------
  // Opens the first session. What fails is told to the client, and the generation is over.
  void Open();
  // Sessions that the next step is for: none while the client reads too slowly.
  void AddWaiting(std::vector<rondo::Session*>* sessions);
  // Takes what the last step had for them.
  void Collect();
  bool over() const { return over_; }
  void Fail(const ApiError& error);
  // For whoever counts: as far as it came.
  GenerationFacts Facts() const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Choice {
    explicit Choice(StopHold its_hold) : hold(std::move(its_hold)) {}

    std::optional<rondo::Session> session;
    std::optional<AnswerReader> reader;
    StopHold hold;
    bool begun = false;  // its first token is there
    bool over = false;
    bool has_calls = false;
    bool waits = false;     // a step was made for it
    Utf8Pieces characters;  // where there is no reader
  };

  using Top = std::vector<std::pair<int32_t, float>>;  // tokens and their log-probabilities

  void Guard(void (Generation::*call)());
  void SetOver();
  void OpenFirst();
  void LookAhead();
  void CollectAll();
  void CollectOne(size_t index);
  void TakeEvent(size_t index, const rondo::Event& event);
  void Give(size_t index, std::string_view bytes, bool last);
  bool Begin(const rondo::Event& event);
  void Propose(Choice* choice);
  Top TopOf(Choice* choice) const;
  rondo::SessionOptions OptionsOf(size_t index) const;

  const GenerationWish wish_;
  const std::shared_ptr<Exchange> exchange_;
  const std::unique_ptr<Sink> sink_;
  const std::shared_ptr<Cancellable> cancellable_ = std::make_shared<Cancellable>();
  std::vector<Choice> choices_;
  Usage usage_;
  std::vector<int32_t> answered_;  // of the first choice, for the prediction
  std::vector<Top> tops_;          // of each choice, for its next token
  const Clock::time_point asked_ = Clock::now();
  Clock::time_point opened_, first_, last_;  // the last token of the first choice
  Histogram between_;
  double seconds_to_first_ = 0;
  bool over_ = false;
  bool was_left_ = false;  // it was over because its client had gone
};

}  // namespace rondo::tools::serve
