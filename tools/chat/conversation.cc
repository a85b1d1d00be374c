#include "tools/chat/conversation.h"

#include <algorithm>

#include "tools/common/context.h"
#include "tools/common/interrupt.h"
#include "tools/common/limits.h"
#include "tools/common/printable.h"
#include "tools/common/sampling.h"
#include "tools/common/sight.h"
#include "tools/common/stopwatch.h"
#include "tools/common/utf8.h"
#include "tools/dialogue/call_grammar.h"
#include "tools/dialogue/turn_end.h"
#include "tools/system/wall_clock.h"

namespace rondo::tools {
namespace {

// Calls until it is done: a Ctrl-C that came too late for the last answer would else end this one
// before it begins. False where a signal of now has ended it.
template <typename Call>
bool Compute(const Call& call) {
  for (;;) {
    try {
      call();
      return true;
    } catch (const rondo::Error& error) {
      if (error.status() != RONDO_STATUS_CANCELLED) throw;
      if (InterruptFlag()) return false;
    }
  }
}

// Without messages.
Chat ChatOf(const ChatForm& form) {
  Chat chat;
  chat.plain_content = !form.special_tokens;
  chat.local_time = WallClock().value_or(RONDO_CHAT_NO_CLOCK);
  chat.tools = form.tools;
  chat.template_text = form.template_text;
  return chat;
}

// The options whose stop strings, or the model's, are joined by the end of a turn that only the
// caller's template knows.
SessionOptions WithTurnEnd(const Model& model, const std::string& template_text,
                           SessionOptions options) {
  const std::string end = template_text.empty() ? "" : TurnEnd(model, template_text);
  if (end.empty()) return options;
  options.stop = StopsOf(model, options);
  if (options.stop.size() < kMostStops) options.stop.push_back(end);
  return options;
}

}  // namespace

Conversation::Conversation(const Model& model, const Engine& engine, const SessionOptions& options,
                           ChatForm form)
    : model_(model),
      engine_(engine),
      form_(std::move(form)),
      picture_token_(model.Info().picture_token),
      message_form_(MessageFormOf(model, ChatOf(form_), /*with_calls=*/false)),
      sampling_(DescribeDraw(model, options)),
      thinking_(ThinkingMarksOf(model, ChatOf(form_))),
      context_(engine.Memory().context),
      hold_(StopsOf(model, WithTurnEnd(model, form_.template_text, options))),
      session_(Open(WithTurnEnd(model, form_.template_text, options))),
      messages_(nlohmann::ordered_json::array()) {
  if (!form_.tools.empty() || thinking_.exist()) reader_.emplace(model, ChatOf(form_));
  if (!form_.system.empty()) messages_.push_back({{"role", "system"}, {"content", form_.system}});
  n_system_ = messages_.size();
}

Session Conversation::Open(SessionOptions options) const {
  if (!form_.tools.empty()) {
    if (options.grammar) throw Error("--tools has a grammar of its own: give no other");
    options.grammar = CallGrammar(model_, ChatOf(form_));
  }
  if (form_.thinking_tokens > 0 && !thinking_.exist()) {
    throw Error("--thinking-tokens: the chat template shows no thoughts");
  }
  if (thinking_.exist() && (form_.thinking_tokens > 0 || options.grammar)) {
    options.thinking = true;
    options.thinking_begin = thinking_.begin;
    options.thinking_end = thinking_.end;
    options.thinking_tokens = form_.thinking_tokens;
    if (options.grammar) options.grammar_begin = RONDO_GRAMMAR_BEGIN_AFTER_THINKING;
  }
  return Session(engine_, options);
}

void Conversation::Reset() {
  session_.Reset();
  slots_.clear();
  waiting_.clear();
  KeepMessages(n_system_);
  calls_.clear();
  stats_ = {};
}

std::string Conversation::Snapshot() const {
  const std::vector<unsigned char> bytes = session_.Save();
  return {bytes.begin(), bytes.end()};
}

void Conversation::Load(nlohmann::ordered_json messages, std::string_view snapshot) {
  // Encoded before anything changes: what is restored then has their rows.
  std::vector<ChatPicture> pictures = ReadPicturesOf(messages, model_, engine_, form_.image);
  if (snapshot.empty()) {
    session_.Reset();
    slots_.clear();
  } else {
    const std::vector<Slot> wanted =
        pictures.empty() ? std::vector<Slot>() : Render(messages, pictures);
    const std::vector<unsigned char> bytes(snapshot.begin(), snapshot.end());
    session_.Restore(bytes);
    const std::vector<int32_t> tokens = session_.Tokens();
    slots_ = SlotsOfRestored(session_.Position() - tokens.size(), tokens, wanted, pictures);
  }
  messages_ = std::move(messages);
  pictures_ = std::move(pictures);
  waiting_.clear();
  n_system_ = !messages_.empty() && messages_[0]["role"] == "system" ? 1 : 0;
  calls_.clear();
  stats_ = {};
}

void Conversation::KeepMessages(size_t count) {
  messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(count), messages_.end());
  const auto kept = static_cast<std::ptrdiff_t>(CountPictures(messages_));
  pictures_.erase(pictures_.begin() + kept, pictures_.end());
}

rondo_image_facts Conversation::Attach(const std::string& path) {
  RequireSight(model_);
  waiting_.push_back(ReadChatPicture(path, model_, engine_, form_.image));
  return waiting_.back().facts;
}

uint64_t Conversation::position() const { return PositionsOf(slots_); }

std::string Conversation::ContextAdvice() const {
  const std::string more = WhatSeesMore(model_, context_, form_.slides);
  return "/reset begins anew here" + (more.empty() ? more : "; " + more + " needs a new start");
}

uint64_t Conversation::remaining() const { return session_.Remaining(); }

std::vector<Slot> Conversation::Render(const nlohmann::ordered_json& messages,
                                       const std::vector<ChatPicture>& pictures) {
  const Chat chat = ChatOf(form_);
  if (!knows_spelling_ && HasCalls(messages)) {
    message_form_.spelling = ReadCallSpelling(model_, chat);
    knows_spelling_ = true;
  }
  const std::vector<int32_t> ids = ChatIds(model_, chat, message_form_, messages);
  return SlotsOf(ids, picture_token_, pictures);
}

size_t Conversation::Undo(size_t kept) {
  // Behind a call that failed more than the slots are there.
  const uint64_t left = PositionsOf(std::span(slots_).first(kept));
  try {
    session_.Undo(session_.Position() - left);
  } catch (const rondo::Error& error) {
    if (error.status() != RONDO_STATUS_INVALID_ARGUMENT) throw;
    kept = 0;  // the ring has turned over what should be undone
    session_.Reset();
  }
  slots_.resize(kept);
  return kept;
}

void Conversation::Read(std::span<const Slot> wanted) {
  const size_t kept = Undo(slots_.size());
  turn_kept_ = std::min(turn_kept_, kept);
  std::vector<int32_t> ids;
  std::vector<Media> media;
  size_t picture = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool is_picture = wanted[i].media != nullptr;
    if (i >= kept) ids.push_back(wanted[i].token);
    if (i >= kept && is_picture) media.push_back(*pictures_[picture].media);
    picture += is_picture ? 1 : 0;
  }
  PrefillMedia(&session_, ids, picture_token_, media);
}

bool Conversation::Feed(std::vector<Slot> wanted) {
  // The last token is always read: the logits after it are what the answer begins with.
  const size_t most = std::min(slots_.size(), wanted.size() - 1);
  Undo(CountShared(slots_, wanted, most));
  stats_.kept = position();
  const Stopwatch watch;
  try {
    if (!Compute([&] { Read(wanted); })) return false;
  } catch (const rondo::Error& error) {
    if (error.status() != RONDO_STATUS_CONTEXT_FULL) throw;
    const bool is_first = messages_.size() == n_system_ + 1;
    const std::string more = is_first ? WhatSeesMore(model_, context_, form_.slides) : "";
    const std::string advice =
        is_first ? "say less at once" + (more.empty() ? more : ", or start anew with " + more)
                 : ContextAdvice();
    throw Error(std::string(error.what()) + " (" + advice + ")");
  }
  slots_ = std::move(wanted);
  stats_.prefilled = position() - stats_.kept;
  stats_.prefill_seconds = watch.seconds();
  return true;
}

int32_t Conversation::Generate(Sink sink, Answer* answer) {
  const Stopwatch watch;
  Event event = {};
  bool is_interrupted = false;
  while (event.reason == RONDO_REASON_NONE) {
    is_interrupted = !Compute([&] { event = session_.Next(); });
    if (is_interrupted) break;
    if (event.token >= 0) ++stats_.generated;
    const bool is_part = event.token >= 0 && event.reason != RONDO_REASON_EOS;
    if (is_part) slots_.push_back({event.token});
    if (reader_) {
      const bool last = event.reason != RONDO_REASON_NONE;
      std::string bytes = hold_.Add(is_part ? event.bytes : "");
      if (last) bytes += hold_.End(event.reason == RONDO_REASON_STOP_STRING);
      reader_->Add(bytes, last, sink);
      *answer = reader_->answer();
    } else if (!event.text.empty()) {
      answer->content += event.text;
      sink(Part::kContent, event.text);
    }
  }
  stats_.decode_seconds = watch.seconds();
  if (is_interrupted && reader_) {
    reader_->Add(hold_.End(/*stopped=*/false), /*last=*/true, sink);
    *answer = reader_->answer();
  }
  return event.reason;
}

void Conversation::Begin(const std::string& question) {
  if (const size_t valid = Utf8Prefix(question); valid < question.size()) {
    Fail("the message is not UTF-8 at its byte ", valid);
  }
  turn_begin_ = messages_.size();
  turn_kept_ = slots_.size();
  nlohmann::ordered_json content = question;
  if (!waiting_.empty()) {
    content = nlohmann::ordered_json::array();
    for (ChatPicture& picture : waiting_) {
      content.push_back(picture.part);
      pictures_.push_back(std::move(picture));
    }
    content.push_back({{"type", "text"}, {"text", question}});
    waiting_.clear();
  }
  messages_.push_back({{"role", "user"}, {"content", std::move(content)}});
}

void Conversation::AddResult(const Call& call, const std::string& result) {
  nlohmann::ordered_json message = {
      {"role", "tool"}, {"name", call.name}, {"content", AsUtf8(result)}};
  if (!call.id.empty()) message["tool_call_id"] = call.id;
  messages_.push_back(std::move(message));
}

void Conversation::TakeBack() {
  KeepMessages(turn_begin_);
  calls_.clear();
  Undo(std::min(turn_kept_, slots_.size()));
}

int32_t Conversation::GoOn(Sink sink) {
  const CancelOnSignal guard(session_.get());
  stats_ = {};
  calls_.clear();
  if (reader_) reader_->Begin();
  hold_.End(/*stopped=*/true);  // what a turn that failed has left
  Answer answer;
  int32_t reason = RONDO_REASON_NONE;
  bool asked = false;
  try {
    asked = Feed(Render(messages_, pictures_));
    if (asked) reason = Generate(sink, &answer);
  } catch (const Interrupted&) {  // while the answer was shown
  } catch (const std::exception&) {
    TakeBack();
    throw;
  }
  const bool stopped = reason == RONDO_REASON_NONE;
  if (stopped) answer.calls.clear();  // which nobody answers
  if (asked && !(stopped && answer.empty())) {
    messages_.push_back(answer.Message());
    calls_ = answer.WholeCalls();
  } else {
    TakeBack();
  }
  ForgetCtrlC();  // it has ended the answer, and no more
  CheckInterrupt();
  return reason;
}

}  // namespace rondo::tools
