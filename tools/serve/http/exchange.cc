#include "tools/serve/http/exchange.h"

#include <algorithm>

namespace rondo::tools::serve {

bool Exchange::Answer(Reply reply) { return Set(Stage::kAnswered, std::move(reply)); }

void Exchange::Promise(Reply reply, std::string ping) {
  const std::lock_guard lock(mutex_);
  promised_ = std::move(reply);
  ping_ = std::move(ping);
}

void Exchange::Begin() {
  if (stage() == Stage::kWaiting) Set(Stage::kStreams, promised_);
}

bool Exchange::Set(Stage stage, Reply reply) {
  const int status = reply.status;
  {
    const std::lock_guard lock(mutex_);
    if (stage_ != Stage::kWaiting) return false;
    reply_ = std::move(reply);
    stage_ = stage;
  }
  if (on_answer_) on_answer_(status);
  wake_();
  return true;
}

void Exchange::Write(std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (gone_ || over_) return;
    bytes_ += bytes;
    waiting_ = bytes_.size();
    written_ = Clock::now();
  }
  wake_();
}

void Exchange::End() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_();
}

void Exchange::CutOff() {
  {
    const std::lock_guard lock(mutex_);
    cut_ = true;
  }
  wake_();
}

void Exchange::OnGone(std::function<void()> call) {
  {
    const std::lock_guard lock(mutex_);
    if (!gone_) {
      on_gone_.push_back(std::move(call));
      return;
    }
  }
  call();
}

Exchange::Stage Exchange::stage() const {
  const std::lock_guard lock(mutex_);
  return stage_;
}

std::ptrdiff_t Exchange::Take(char* to, size_t most) {
  const std::lock_guard lock(mutex_);
  if (cut_) return -2;
  const size_t count = std::min(most, bytes_.size());
  if (count == 0) return over_ ? -1 : 0;
  bytes_.copy(to, count);
  bytes_.erase(0, count);
  waiting_ = bytes_.size();
  return static_cast<std::ptrdiff_t>(count);
}

void Exchange::Ping(Clock::time_point before) {
  {
    const std::lock_guard lock(mutex_);
    const bool is_open = !ping_.empty() && stage_ != Stage::kAnswered && !over_ && !gone_;
    if (!is_open || !bytes_.empty() || written_ > before) return;
  }
  Begin();
  Write(ping_);
}

void Exchange::SetGone() {
  std::vector<std::function<void()>> calls;
  {
    const std::lock_guard lock(mutex_);
    gone_ = true;
    bytes_.clear();
    waiting_ = 0;
    calls.swap(on_gone_);
  }
  for (const auto& call : calls) call();
}

}  // namespace rondo::tools::serve
