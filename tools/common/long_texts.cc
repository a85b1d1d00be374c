#include "tools/common/long_texts.h"

#include <algorithm>

#include "tools/common/flags.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"

namespace rondo::tools {
namespace {

// What does not depend on the text: a model that reads texts whole takes no more than a pass has.
size_t MostTokens(const Model& model) {
  const rondo_embedder_facts facts = EmbedderFacts(model);
  if (facts.whole_texts == 0) return facts.max_tokens;
  int64_t most_rows = 0;
  rondo_query("limit.rows", &most_rows);
  return std::min<size_t>(facts.max_tokens, static_cast<size_t>(most_rows));
}

size_t SameBegin(const TokenIds& a, const TokenIds& b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

size_t SameEnd(const TokenIds& a, const TokenIds& b) {
  const auto differ = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  return static_cast<size_t>(differ.first - a.rbegin());
}

std::string Excess(const std::string& place, size_t tokens, size_t most) {
  return place + " has " + FormatCount(tokens, "token") + ", the model takes " + FormatCount(most);
}

// True where it is to be cut.
bool IsTooLong(const std::string& place, size_t n_tokens, size_t most, TooLong too_long,
               CutTold told) {
  if (n_tokens == 0) Fail(place, " has no tokens: nothing is there for the model to read");
  if (n_tokens <= most) return false;
  if (too_long == TooLong::kRefuse) {
    throw Error(Excess(place, n_tokens, most) + " (--too-long cut: the first of these)");
  }
  told(place, n_tokens, most);
  return true;
}

}  // namespace

void TellCut(const std::string& place, size_t tokens, size_t most) {
  Tell("note: ", Excess(place, tokens, most), ": it is cut");
}

void AddTooLongFlag(CLI::App* command, TooLong* too_long) {
  AddChoice(command, "--too-long", {"cut", "refuse"},
            "What becomes of a text that has more tokens than the model takes: it is cut, which is "
            "told, or refused, and all others with it; default: cut",
            [too_long](const std::string& word) {
              *too_long = word == "cut" ? TooLong::kCut : TooLong::kRefuse;
            })
      ->group(kTextGroup);
}

std::string PlaceOf(const char* what, bool is_line, size_t index) {
  return (is_line ? "line " : std::string(what) + " ") + FormatCount(index + 1);
}

LongTexts::LongTexts(const Model& model, TooLong too_long, CutTold told)
    : model_(&model),
      too_long_(too_long),
      told_(told),
      most_(MostTokens(model)),
      behind_(FindTokensAround(model).behind.size()) {}

TokenIds LongTexts::Read(const std::string& place, std::string_view text) const {
  return Fit(place, Tokenize(*model_, text, /*add_special=*/true));
}

TokenIds LongTexts::Fit(const std::string& place, TokenIds ids) const {
  if (!IsTooLong(place, ids.size(), most_, too_long_, told_)) return ids;
  const size_t behind = std::min(behind_, most_);
  ids.erase(ids.begin() + static_cast<ptrdiff_t>(most_ - behind),
            ids.end() - static_cast<ptrdiff_t>(behind));
  return ids;
}

LongPairs::LongPairs(const Model& model, TooLong too_long, const char* instruction,
                     std::string_view query, CutTold told)
    : model_(&model),
      too_long_(too_long),
      instruction_(instruction),
      query_(query),
      told_(told),
      most_(MostTokens(model)) {}

TokenIds LongPairs::Tokens(std::string_view query, std::string_view document) const {
  return Tokenize(*model_, PairText(*model_, instruction_, query, document), /*add_special=*/true);
}

TokenIds LongPairs::Read(const std::string& place, std::string_view document) const {
  TokenIds ids = Tokens(query_, document);
  return IsTooLong(place, ids.size(), most_, too_long_, told_) ? Cut(ids) : ids;
}

// What stands around the two is found by pairs without one of them.
TokenIds LongPairs::Cut(const TokenIds& whole) const {
  const TokenIds no_query = Tokens("", "x");
  const size_t x = Tokenize(*model_, "x", /*add_special=*/false).size();
  const size_t around = std::max(no_query.size(), x) - x;
  const size_t before = SameBegin(no_query, Tokens("x", "x"));
  const size_t behind = SameEnd(no_query, Tokens("", ""));
  const size_t query = std::max(Tokens(query_, "x").size(), no_query.size()) - no_query.size();
  const bool has_document = whole.size() >= around + query;
  const size_t ends = before + behind, between = has_document ? around - ends : 0;
  if (around < ends || ends + between >= most_ || ends + between + query > whole.size()) {
    Fail("the model takes ", FormatCount(most_, "token"), ", of which ", FormatCount(around),
         " stand around the query and the document");
  }
  const size_t document = whole.size() - ends - between - query, room = most_ - ends - between;
  const size_t shorter = std::min({query, document, room / 2});
  const size_t kept_query = query <= document ? shorter : room - shorter;
  TokenIds cut;
  const auto keep = [&](size_t first, size_t count) {
    const auto begin = whole.begin() + static_cast<ptrdiff_t>(first);
    cut.insert(cut.end(), begin, begin + static_cast<ptrdiff_t>(count));
  };
  keep(0, before + kept_query);
  keep(before + query, between + room - kept_query);
  keep(whole.size() - behind, behind);
  return cut;
}

}  // namespace rondo::tools
