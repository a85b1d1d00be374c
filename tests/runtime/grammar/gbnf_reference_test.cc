// Random rules: the texts that a machine reads are those that a plain recogniser finds, which tries
// everything.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/runtime/grammar/parts.h"
#include "tests/runtime/grammar/words.h"

namespace rondo::grammar {
namespace {

// A part of a rule, and how it is written.
struct Node {
  enum Kind { kText, kRule, kSequence, kChoice, kRepeat } kind = kText;
  std::string text;  // kText
  size_t rule = 0;   // kRule
  std::vector<Node> parts;
  size_t min = 0, max = 0;  // kRepeat; SIZE_MAX: no limit

  std::string Written() const {
    std::string out = kind == kText ? "\"" + text + "\"" : kind == kRule ? Name(rule) : "(";
    for (size_t i = 0; i < parts.size(); ++i) {
      out += (i == 0 ? "" : kind == kChoice ? " | " : " ") + parts[i].Written();
    }
    if (kind == kRepeat) {
      out += "){" + std::to_string(min) + "," + (max == SIZE_MAX ? "" : std::to_string(max)) + "}";
    }
    return kind == kSequence || kind == kChoice ? out + ")" : out;
  }
  static std::string Name(size_t rule) { return rule == 0 ? "root" : "r" + std::to_string(rule); }
};

class Rules {
 public:
  explicit Rules(unsigned seed) : random_(seed) {
    n_ = 1 + random_() % 4;
    for (size_t i = 0; i < n_; ++i) rules_.push_back(Make(3));
  }
  std::string Written() const {
    std::string out;
    for (size_t i = 0; i < n_; ++i) out += Node::Name(i) + " ::= " + rules_[i].Written() + "\n";
    return out;
  }
  bool Has(const std::string& text) {
    text_ = text;
    known_.clear();
    return Ends(rules_[0], 0).contains(text.size());
  }

 private:
  using Places = std::set<size_t>;

  Node Make(int deep) {
    Node node;
    const unsigned chance = random_() % (deep > 0 ? 10 : 4);
    if (chance < 3) {
      for (unsigned n = random_() % 3; n > 0; --n) node.text += "ab"[random_() % 2];
    } else if (chance < 4) {
      node.kind = Node::kRule;
      node.rule = random_() % n_;
    } else if (chance < 9) {
      node.kind = chance < 7 ? Node::kSequence : Node::kChoice;
      for (unsigned n = 1 + random_() % 3; n > 0; --n) node.parts.push_back(Make(deep - 1));
    } else {
      node.kind = Node::kRepeat;
      node.parts.push_back(Make(deep - 1));
      node.min = random_() % 3;
      node.max = random_() % 2 == 0 ? SIZE_MAX : node.min + random_() % 3;
    }
    return node;
  }

  // Where what begins at `from` may end.
  Places Ends(const Node& node, size_t from) {
    switch (node.kind) {
      case Node::kText:
        return text_.compare(from, node.text.size(), node.text) == 0
                   ? Places{from + node.text.size()}
                   : Places();
      case Node::kRule: {
        const auto key = std::pair(node.rule, from);
        if (!known_.contains(key)) {
          const Places ends = Ends(rules_[node.rule], from);
          known_[key] = ends;
        }
        return known_[key];
      }
      case Node::kSequence: {
        Places places = {from};
        for (const Node& part : node.parts) places = Behind(part, places);
        return places;
      }
      case Node::kChoice: {
        Places places;
        for (const Node& part : node.parts) places.merge(Ends(part, from));
        return places;
      }
      case Node::kRepeat: {
        Places places = {from}, all;
        for (size_t i = 0; i < node.min; ++i) places = Behind(node.parts[0], places);
        for (size_t i = node.min; !places.empty(); ++i) {
          const size_t before = all.size();
          all.insert(places.begin(), places.end());
          if (i == node.max || all.size() == before) break;
          places = Behind(node.parts[0], places);
        }
        return all;
      }
    }
    return {};
  }
  Places Behind(const Node& node, const Places& places) {
    Places all;
    for (const size_t place : places) all.merge(Ends(node, place));
    return all;
  }

  std::mt19937 random_;
  size_t n_ = 0;
  std::vector<Node> rules_;
  std::string text_;
  std::map<std::pair<size_t, size_t>, Places> known_;
};

TEST(GbnfReference, RandomRulesHaveTheSameTexts) {
  const Words words;
  const Result<TokenTrie> trie = words.Trie();
  size_t compared = 0, has = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Rules rules(seed);
    Parts parts;
    SCOPED_TRACE(rules.Written());
    const std::string why = parts.ReadGbnfText(rules.Written(), *trie);
    if (why.find("begins with itself") != std::string::npos) continue;
    ASSERT_EQ(why, "");
    ++compared;
    std::vector<std::string> texts = {""};
    for (size_t i = 0; i < texts.size(); ++i) {
      const bool is = rules.Has(texts[i]);
      ASSERT_EQ(parts.Accepts(texts[i]), is) << '"' << texts[i] << '"';
      has += is && i > 0;
      if (texts[i].size() < 7) {
        for (const char c : {'a', 'b'}) texts.push_back(texts[i] + c);
      }
    }
    ASSERT_TRUE(parts.budget.ok());
  }
  EXPECT_GT(compared, 500u);
  EXPECT_GT(has, 1500u);
}

}  // namespace
}  // namespace rondo::grammar
