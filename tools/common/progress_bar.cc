#include "tools/common/progress_bar.h"

#include <algorithm>
#include <cstdio>

#include "tools/common/numbers.h"

namespace rondo::tools {
namespace {

constexpr int kBarWidth = 30;
constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kNewLine{2};

}  // namespace

void ProgressBar::Update(uint64_t done, uint64_t total) {
  const Clock::time_point now = Clock::now();
  if (total == 0 || now - last_drawn_ < (is_terminal_ ? Clock::duration(kRedraw) : kNewLine)) {
    return;
  }
  last_drawn_ = now;
  is_drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  const double left = part > 0 ? seconds * (1 - part) / part : 0;
  const std::string facts = FormatShare(part, 0) + "  " +
                            (of_ == Of::kBytes ? RoundBytes(rate) + "/s  " : "") +
                            FormatSeconds(left) + " left";
  if (!is_terminal_) {
    out_ << facts << '\n';
    return;
  }
  const auto filled = static_cast<size_t>(part * kBarWidth);
  out_ << "\r[" << std::string(filled, '=') << std::string(kBarWidth - filled, ' ') << "] " << facts
       << "\x1b[K" << std::flush;
}

ProgressBar::~ProgressBar() {
  if (is_terminal_ && is_drawn_) out_ << "\r\x1b[K" << std::flush;
}

}  // namespace rondo::tools
