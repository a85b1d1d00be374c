#include "runtime/generation/constraint.h"

namespace rondo {
namespace {

struct Tokens {
  const TokenHistory& history;
  uint64_t begin;
  std::span<const int32_t> behind;
};

grammar::GrammarText TextOf(const Tokens& tokens) {
  const uint64_t held = tokens.history.end() - tokens.begin;
  const auto token = [](const void* context, uint64_t i) {
    const Tokens& all = *static_cast<const Tokens*>(context);
    const uint64_t n = all.history.end() - all.begin;
    return i < n ? all.history[all.begin + i] : all.behind[i - n];
  };
  const uint64_t first =
      tokens.history.begin() > tokens.begin ? tokens.history.begin() - tokens.begin : 0;
  return {token, &tokens, held + tokens.behind.size(), first};
}

}  // namespace

Status Constraint::Follow(const TokenHistory& tokens, uint64_t begin) {
  if (begin != begin_) Restart();
  begin_ = begin;
  const Tokens all = {tokens, begin, {}};
  return grammar_->Read(TextOf(all), &place_);
}

Status Constraint::Allowed(const TokenHistory& tokens, std::span<const int32_t> behind,
                           std::span<uint32_t> mask) const {
  const Tokens all = {tokens, begin_, behind};
  grammar::GrammarPlace place = place_;
  return grammar_->Allowed(TextOf(all), &place, mask);
}

}  // namespace rondo
