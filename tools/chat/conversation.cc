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

// A Ctrl-C that came too late for the last answer would end this one before it begins.
template <typename Call>
int32_t Compute(const Call& call) {
  int32_t status = RONDO_STATUS_OK;
  do {
    status = call();
  } while (status == RONDO_STATUS_CANCELLED && !InterruptFlag());
  return status;
}

// Without messages.
rondo_chat_options OptionsOf(const ChatForm& form) {
  rondo_chat_options options;
  rondo_chat_options_init(&options, sizeof options);
  if (!form.special_tokens) options.flags |= RONDO_CHAT_PLAIN_CONTENT;
  options.local_time = WallClock().value_or(RONDO_CHAT_NO_CLOCK);
  if (!form.tools.empty()) {
    options.tools = form.tools.data();
    options.tools_bytes = form.tools.size();
  }
  if (!form.template_text.empty()) {
    options.template_text = form.template_text.data();
    options.template_bytes = form.template_text.size();
  }
  return options;
}

// The setup whose stop strings, or the model's, are joined by the end of a turn that only the
// caller's template knows.
SessionSetup WithTurnEnd(const rondo_model* model, const std::string& template_text,
                         SessionSetup setup) {
  if (template_text.empty()) return setup;
  const std::string end = TurnEnd(model, template_text);
  if (end.empty()) return setup;
  const rondo_session_options& options = setup.options;
  if (setup.stop.empty() && options.n_stop_strings > 0) {
    setup.stop.assign(options.stop_strings, options.stop_strings + options.n_stop_strings);
  }
  if (setup.stop.size() < kMostStops) setup.stop.push_back(end);
  return setup;
}

}  // namespace

Conversation::Conversation(rondo_model* model, rondo_engine* engine, const SessionSetup& setup,
                           ChatForm form)
    : model_(model),
      engine_(engine),
      form_(std::move(form)),
      picture_token_(Facts(model).picture_token),
      message_form_(MessageFormOf(model, OptionsOf(form_), /*with_calls=*/false)),
      sampling_(DescribeDraw(setup.options)),
      thinking_(ThinkingMarksOf(model, OptionsOf(form_))),
      context_(Memory(engine).context),
      hold_(StopsOf(WithTurnEnd(model, form_.template_text, setup))),
      session_(Open(engine, WithTurnEnd(model, form_.template_text, setup))),
      messages_(nlohmann::ordered_json::array()) {
  if (!form_.tools.empty() || thinking_.exist()) reader_.emplace(model, OptionsOf(form_));
  if (!form_.system.empty()) messages_.push_back({{"role", "system"}, {"content", form_.system}});
  n_system_ = messages_.size();
}

Session Conversation::Open(rondo_engine* engine, SessionSetup setup) const {
  rondo_session_options& options = setup.options;
  Grammar grammar;  // the session keeps it
  if (!form_.tools.empty()) {
    if (options.grammar != nullptr) throw Error("--tools has a grammar of its own: give no other");
    grammar = CallGrammar(model_, OptionsOf(form_));
    options.grammar = grammar.get();
  }
  if (form_.thinking_tokens > 0 && !thinking_.exist()) {
    throw Error("--thinking-tokens: the chat template shows no thoughts");
  }
  if (thinking_.exist() && (form_.thinking_tokens > 0 || options.grammar != nullptr)) {
    options.thinking = 1;
    options.thinking_begin = thinking_.begin.c_str();
    options.thinking_end = thinking_.end.c_str();
    options.thinking_tokens = form_.thinking_tokens;
    if (options.grammar != nullptr) options.grammar_begin = RONDO_GRAMMAR_BEGIN_AFTER_THINKING;
  }
  return OpenSession(engine, setup);
}

void Conversation::Reset() {
  Check(rondo_session_reset(session_.get()));
  slots_.clear();
  waiting_.clear();
  KeepMessages(n_system_);
  calls_.clear();
  stats_ = {};
}

std::string Conversation::Snapshot() const {
  size_t count = 0;
  rondo_session_save(session_.get(), nullptr, 0, &count);
  std::string bytes(count, '\0');
  Check(rondo_session_save(session_.get(), bytes.data(), bytes.size(), &count));
  return bytes;
}

void Conversation::Load(nlohmann::ordered_json messages, std::string_view snapshot) {
  // Encoded before anything changes: what is restored then has their rows.
  std::vector<ChatPicture> pictures = ReadPicturesOf(messages, model_, engine_, form_.image);
  if (snapshot.empty()) {
    Check(rondo_session_reset(session_.get()));
    slots_.clear();
  } else {
    const std::vector<Slot> wanted =
        pictures.empty() ? std::vector<Slot>() : Render(messages, pictures);
    if (rondo_session_restore(session_.get(), snapshot.data(), snapshot.size()) !=
        RONDO_STATUS_OK) {
      throw Error(rondo_session_last_error(session_.get()));
    }
    uint64_t begin = 0;
    size_t count = 0;
    rondo_session_tokens(session_.get(), &begin, nullptr, 0, &count);
    std::vector<int32_t> tokens(count);
    Check(rondo_session_tokens(session_.get(), &begin, tokens.data(), count, &count));
    slots_ = SlotsOfRestored(begin, tokens, wanted, pictures);
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

uint64_t Conversation::remaining() const {
  uint64_t tokens = 0;
  Check(rondo_session_remaining(session_.get(), &tokens));
  return tokens;
}

std::vector<Slot> Conversation::Render(const nlohmann::ordered_json& messages,
                                       const std::vector<ChatPicture>& pictures) {
  const rondo_chat_options options = OptionsOf(form_);
  if (!knows_spelling_ && HasCalls(messages)) {
    message_form_.spelling = ReadCallSpelling(model_, options);
    knows_spelling_ = true;
  }
  const std::vector<int32_t> ids = ChatIds(model_, options, message_form_, messages);
  return SlotsOf(ids, picture_token_, pictures);
}

size_t Conversation::Undo(size_t kept) {
  uint64_t position = 0;  // behind a call that failed more than the slots are there
  Check(rondo_session_position(session_.get(), &position));
  const uint64_t left = PositionsOf(std::span(slots_).first(kept));
  const int32_t undone = rondo_session_undo(session_.get(), position - left);
  if (undone == RONDO_STATUS_INVALID_ARGUMENT) {
    kept = 0;  // the ring has turned over what should be undone
    Check(rondo_session_reset(session_.get()));
  } else {
    Check(undone);
  }
  slots_.resize(kept);
  return kept;
}

int32_t Conversation::Read(std::span<const Slot> wanted) {
  const size_t kept = Undo(slots_.size());
  turn_kept_ = std::min(turn_kept_, kept);
  std::vector<int32_t> ids;
  std::vector<rondo_media*> media;
  for (const Slot& slot : wanted.subspan(kept)) {
    ids.push_back(slot.token);
    if (slot.media != nullptr) media.push_back(slot.media);
  }
  return PrefillMedia(session_.get(), ids, picture_token_, media);
}

bool Conversation::Feed(std::vector<Slot> wanted) {
  // The last token is always read: the logits after it are what the answer begins with.
  const size_t most = std::min(slots_.size(), wanted.size() - 1);
  Undo(CountShared(slots_, wanted, most));
  stats_.kept = position();
  const Stopwatch watch;
  const int32_t status = Compute([&] { return Read(wanted); });
  if (status == RONDO_STATUS_CANCELLED) return false;
  if (status == RONDO_STATUS_CONTEXT_FULL) {
    const bool is_first = messages_.size() == n_system_ + 1;
    const std::string more = is_first ? WhatSeesMore(model_, context_, form_.slides) : "";
    const std::string advice =
        is_first ? "say less at once" + (more.empty() ? more : ", or start anew with " + more)
                 : ContextAdvice();
    throw Error(std::string(rondo_session_last_error(session_.get())) + " (" + advice + ")");
  }
  Check(status);
  slots_ = std::move(wanted);
  stats_.prefilled = position() - stats_.kept;
  stats_.prefill_seconds = watch.seconds();
  return true;
}

int32_t Conversation::Generate(Sink sink, Answer* answer) {
  rondo_event event = {};
  event.struct_size = sizeof event;
  const Stopwatch watch;
  int32_t status = RONDO_STATUS_OK;
  while (status == RONDO_STATUS_OK && event.reason == RONDO_REASON_NONE) {
    status = Compute([&] { return rondo_session_next(session_.get(), &event); });
    if (status != RONDO_STATUS_OK) break;
    if (event.token >= 0) ++stats_.generated;
    const bool is_part = event.token >= 0 && event.reason != RONDO_REASON_EOS;
    if (is_part) slots_.push_back({event.token});
    if (reader_) {
      const bool last = event.reason != RONDO_REASON_NONE;
      std::string bytes = hold_.Add({event.bytes, is_part ? event.bytes_count : 0});
      if (last) bytes += hold_.End(event.reason == RONDO_REASON_STOP_STRING);
      reader_->Add(bytes, last, sink);
      *answer = reader_->answer();
    } else if (event.text_bytes > 0) {
      answer->content.append(event.text, event.text_bytes);
      sink(Part::kContent, {event.text, event.text_bytes});
    }
  }
  stats_.decode_seconds = watch.seconds();
  if (status == RONDO_STATUS_CANCELLED && reader_) {
    reader_->Add(hold_.End(/*stopped=*/false), /*last=*/true, sink);
    *answer = reader_->answer();
  }
  if (status == RONDO_STATUS_CANCELLED) return RONDO_REASON_NONE;
  Check(status);
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
  } catch (const Error&) {
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
