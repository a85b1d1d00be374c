// Described: the grammar of a template's calls, read, for a test to ask what it has.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/chat/calls/chat_grammar.h"
#include "runtime/chat/calls/marked_text.h"
#include "tests/runtime/grammar/parts.h"
#include "tests/runtime/grammar/words.h"

namespace rondo::test {

// Markers with a bar, and those in brackets, are special tokens: as most models have it.
inline bool IsSpecialText(std::string_view text) {
  return calls::MarkerSize(text) == text.size() &&
         (text[0] == '[' || text.find('|') != text.npos || text.find("\uff5c") != text.npos);
}

class Described {
 public:
  // `end`: the token that ends a generation.
  Described(const ChatRequest& request, ChatCalls calls, std::string_view function = {},
            std::string_view end = {})
      : end_(end) {
    const auto look = [](const void* context, std::string_view text) {
      const auto* self = static_cast<const Described*>(context);
      if (!IsSpecialText(text)) return ChatVocabulary::Is::kText;
      self->special_.insert(std::string(text));
      return text == self->end_ ? ChatVocabulary::Is::kEnd : ChatVocabulary::Is::kSpecial;
    };
    const auto keep = [](void* user, std::string_view text) {
      static_cast<Described*>(user)->text = text;
      return Status();
    };
    status = WriteChatGrammar(request, calls, function, {look, this}, {keep, this});
    if (!status.ok()) return;
    words_.tokens.resize(words_.first_special);
    for (const std::string& token : special_) words_.tokens.push_back(token);
    auto trie = words_.Trie();
    EXPECT_TRUE(trie.ok());
    trie_ = std::make_unique<grammar::TokenTrie>(std::move(*trie));
    why_not = parts_.ReadGbnfText(text, *trie_);
    EXPECT_EQ(why_not, "") << text;
  }
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;

  bool Accepts(std::string_view answer) {
    if (!status.ok() || !why_not.empty()) return false;
    const bool accepted = parts_.Accepts(Coded(answer));
    EXPECT_TRUE(parts_.budget.ok());
    return accepted;
  }

  // A text of the grammar, by chance; empty where it became too long.
  std::string Sample(std::mt19937& random) {
    std::string coded;
    grammar::State state = parts_.start;
    while (coded.size() < 4000) {
      if (parts_.machine.accepts(state) && random() % 3 == 0) return Plain(coded);
      // What ends strings and values comes often enough.
      std::vector<std::pair<uint8_t, grammar::State>> next;
      for (unsigned byte = 0; byte < 256; ++byte) {
        const grammar::State after =
            parts_.machine.Next(state, static_cast<uint8_t>(byte), parts_.budget);
        if (after == grammar::Machine::kDead) continue;
        const bool usual = byte < 0x80 || byte >= 0xf5;
        const int weight =
            std::string_view("\"}]</,").find(static_cast<char>(byte)) != std::string_view::npos ? 12
            : usual                                                                             ? 1
                                                                                                : 0;
        for (int i = 0; i < weight; ++i) next.emplace_back(byte, after);
        if (weight == 0 && random() % 8 == 0) next.emplace_back(byte, after);
      }
      if (next.empty()) return parts_.machine.accepts(state) ? Plain(coded) : "";
      const auto& [byte, after] = next[random() % next.size()];
      coded += static_cast<char>(byte);
      state = after;
    }
    return "";
  }

  Status status;
  std::string text;     // the grammar
  std::string why_not;  // it is not read

 private:
  std::string CodeOf(uint32_t token) const {
    const std::span<const uint8_t> bytes = trie_->BytesOf(token);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // With special tokens as a grammar reads them.
  std::string Coded(std::string_view answer) const {
    std::string coded;
    for (size_t i = 0; i < answer.size();) {
      const size_t size = calls::MarkerSize(answer.substr(i));
      const std::string marker(answer.substr(i, size));
      if (size > 0 && special_.count(marker) > 0) {
        coded += CodeOf(words_.IdOf(marker));
        i += size;
      } else {
        coded += answer[i++];
      }
    }
    return coded;
  }
  std::string Plain(std::string coded) const {
    for (const std::string& token : special_) {
      const std::string code = CodeOf(words_.IdOf(token));
      for (size_t at; (at = coded.find(code)) != coded.npos;) coded.replace(at, code.size(), token);
    }
    return coded;
  }

  const std::string end_;
  mutable std::set<std::string> special_;
  grammar::Words words_;
  std::unique_ptr<grammar::TokenTrie> trie_;
  grammar::Parts parts_;
};

}  // namespace rondo::test
