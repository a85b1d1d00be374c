// Answers and templates put together by chance: the same parts however a text is cut, and no word
// of it is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "tests/runtime/chat/calls/answer_pieces.h"
#include "tests/runtime/chat/calls/forms.h"
#include "tests/runtime/chat/calls/parsed.h"
#include "tests/runtime/chat/template_pieces.h"

namespace rondo {
namespace {

using test::Parsed;

class AnswersFuzz : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  }
};

// Every word of the text, in order, in what was handed out.
void ExpectWords(const std::string& text, const Parsed& parsed, size_t n_words) {
  std::string all = parsed.content + ' ' + parsed.thinking;
  for (const test::ParsedCall& call : parsed.calls) {
    all += ' ' + call.name + ' ' + call.id + ' ' + call.arguments;
  }
  for (size_t word = 0; word < n_words; ++word) {
    const std::string w = "w" + std::to_string(word) + "w";
    EXPECT_NE(all.find(w), all.npos) << w << " of: " << text;
  }
}

// What begins a call in a form, and what may end it then.
struct Parts {
  const char *form, *begin, *end;
};
constexpr Parts kParts[] = {
    {test::kJsonForm, "<call>\n{\"name\": \"find\", \"arguments\": ", "{\"a\": 1}}\n</call>"},
    {test::kIdBehindForm,
     "[CALLS][{\"name\": \"find\", \"arguments\": ", "{\"a\": 1}, \"id\": \"a1\"}]"},
    {test::kNumberForm, "<|act|>[{\"id\": \"0\", \"tool\": \"find\", \"with\": ", "{}}]<|/act|>"},
    {test::kRunForm, "<|call|>functions.find:0<|with|>", "{}<|done|>"},
    {test::kTagForm, "<call>\n<function=find>\n<parameter=most>\n",
     "12\n</parameter>\n</function>\n</call>"},
    {test::kTypedTagForm, "<calls><invoke name=\"find\">", "</invoke></calls>"},
    {test::kPythonForm, "<|py|>find({'a': ", "True})<|/py|>"},
    {test::kQuoteForm, "<|call|>find{what:", "<|q|>a<|q|>}<|/call|>"},
    {test::kBareForm, "{\"name\": \"find\", \"parameters\": ", "{}}"},
    {test::kChannelForm, "<|start|>bot to=find<|channel|>json<|message|>", "{}<|call|>"}};
static_assert(std::size(kParts) == std::size(test::kForms));

TEST_F(AnswersFuzz, SamePartsForEveryCut) {
  std::mt19937 random(1);
  for (const auto& [form, begin, end] : kParts) {
    auto parser = ChatParser::Create(test::FormRequest(form));
    ASSERT_TRUE(parser.ok()) << parser.status().message();
    size_t calls = 0, whole = 0;
    for (int round = 0; round < 3000; ++round) {
      std::string text;
      size_t words = 0;
      for (size_t i = 0, pieces = random() % 24; i < pieces; ++i) {
        const size_t kind = random() % 6;
        text += kind == 0   ? begin
                : kind == 1 ? end
                            : test::kAnswerPieces[random() % std::size(test::kAnswerPieces)];
        if (random() % 4 == 0) text += "w" + std::to_string(words++) + "w";
      }
      const Parsed parsed = test::Parse(**parser, text);
      ExpectWords(text, parsed, words);
      ASSERT_EQ(test::Parse(**parser, text, 1, 1), parsed) << text;
      for (int cut = 0; cut < 4; ++cut) {
        const size_t first = random() % (text.size() + 1), piece = 1 + random() % 9;
        ASSERT_EQ(test::Parse(**parser, text, first, piece), parsed) << first << ": " << text;
      }
      for (const test::ParsedCall& call : parsed.calls) {
        ++calls;
        whole += call.whole ? 1 : 0;
      }
    }
    std::printf("%zu calls begun, %zu whole\n", calls, whole);
    EXPECT_GT(calls, 100u) << form;
    EXPECT_GT(whole, 10u) << form;
  }
}

// Whole answers of a form with bytes changed.
TEST_F(AnswersFuzz, DamagedAnswers) {
  const std::pair<const char*, std::string> kAnswers[] = {
      {test::kJsonForm,
       "<think>\nHm\n</think>\n\nSo:\n<call>\n{\"name\": \"find\", \"arguments\": {\"what\": "
       "[\"a\\u0041\", 1]}}\n</call>\n<call>\n{\"name\": \"stop\", \"arguments\": "
       "{}}\n</call><|end|>\n"},
      {test::kIdBehindForm,
       "[CALLS][{\"name\": \"find\", \"arguments\": {\"a\": 1}, \"id\": \"a1\"}, {\"name\": "
       "\"stop\", "
       "\"arguments\": {}, \"id\": \"b2\"}]"},
      {test::kTagForm,
       "So\n<call>\n<function=find>\n<parameter=what>\nx\n</parameter>\n<parameter=more>\n{'a': "
       "[True]}\n</parameter>\n</function>\n</call>"},
      {test::kQuoteForm,
       "<|call|>find{what:<|q|>a\"b<|q|>,most:1,more:{x:[<|q|>y<|q|>]}}<|/call|>"},
      {test::kChannelForm,
       "<|channel|>thought<|message|>Hm<|end|><|start|>bot "
       "to=find<|channel|>json<|message|>{\"a\": "
       "\"b\"}<|call|>"}};
  std::mt19937 random(2);
  for (const auto& [form, whole] : kAnswers) {
    auto parser = ChatParser::Create(test::FormRequest(form));
    ASSERT_TRUE(parser.ok()) << parser.status().message();
    ASSERT_FALSE(test::Parse(**parser, whole).calls.empty()) << whole;
    for (int round = 0; round < 3000; ++round) {
      std::string text = whole;
      for (size_t i = 0, changes = 1 + random() % 3; i < changes && !text.empty(); ++i) {
        const size_t at = random() % text.size();
        switch (random() % 4) {
          case 0:
            text[at] = static_cast<char>(random());
            break;
          case 1:
            text.erase(at, 1 + random() % 8);
            break;
          case 2:
            text.insert(at, text.substr(random() % text.size(), random() % 12));
            break;
          default:
            text.resize(at);
        }
      }
      const Parsed parsed = test::Parse(**parser, text);
      ASSERT_EQ(test::Parse(**parser, text, 1, 1), parsed) << text;
      const size_t cut = text.empty() ? 0 : random() % text.size();
      ASSERT_EQ(test::Parse(**parser, text, cut, text.size()), parsed) << cut << ": " << text;
    }
  }
}

// Texts that a parser might look at again and again: the time is linear.
TEST_F(AnswersFuzz, LongTextsTakeLinearTime) {
  constexpr const char* kRepeated[] = {"<",
                                       "<call>\n",
                                       "<call>\n{\"name\": \"",
                                       " ",
                                       "\n",
                                       "{",
                                       "</",
                                       "<|",
                                       "<think>",
                                       "<function=f",
                                       "\n</parameter>",
                                       "[CALLS][",
                                       "{\"name\": \"find\", \"arguments\": ",
                                       "<parameter=",
                                       "<|end|>\n",
                                       "<|q|>",
                                       "<|end"};
  for (const char* const form : test::kForms) {
    auto parser = ChatParser::Create(test::FormRequest(form));
    ASSERT_TRUE(parser.ok()) << parser.status().message();
    for (const char* const repeated : kRepeated) {
      // What a call of the form may hold, too.
      for (const char* const begin :
           {"", "<call>\n<function=find>\n<parameter=what>\n",
            "<call>\n<function=find>\n<parameter=any>\n",
            "[CALLS][{\"name\": \"find\", \"arguments\": {\"a\": \"", "<|call|>find{what:<|q|>"}) {
        std::string text = begin;
        while (text.size() < (size_t{1} << 16)) text += repeated;
        const auto started = std::chrono::steady_clock::now();
        test::Parse(**parser, text, 16, 16);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
        // 64 KB in pieces of 16: some 5 ms; a quadratic one takes many seconds.
        EXPECT_LT(took.count(), 5.0) << begin << repeated << " in " << form;
      }
    }
  }
}

// Templates of pieces of Jinja and of the forms: there is an answer, and a parser that comes of it
// works.
TEST_F(AnswersFuzz, TemplatesOfPieces) {
  constexpr const char* kPieces[] = {"{{ m.content }}",
                                     "{% for m in messages %}",
                                     "{% endfor %}",
                                     "{% for c in m.tool_calls %}",
                                     "{{ c.function.name }}",
                                     "{{ c.function.arguments|tojson }}",
                                     "{{ c.function.arguments }}",
                                     "{% for k, v in c.function.arguments|items %}",
                                     "{{ k }}",
                                     "{{ v }}",
                                     "{{ c.id }}",
                                     "{% if add_generation_prompt %}",
                                     "{% endif %}",
                                     "{{ m.role }}",
                                     "{{ m.reasoning_content }}",
                                     "<call>",
                                     "</call>",
                                     "<think>",
                                     "</think>",
                                     "<",
                                     ">",
                                     "{{ '{' }}",
                                     "[",
                                     "\n",
                                     "\"",
                                     "'",
                                     ":",
                                     ",",
                                     "{{ loop.index0 }}",
                                     "<|end|>"};
  std::mt19937 random(3);
  size_t made = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = "{% for m in messages %}<{{ m.role }}>{{ m.content }}";
    if (random() % 2 == 0) text += "{% for c in m.tool_calls %}<c>{{ c.function.name }}=";
    for (size_t i = 0, pieces = random() % 20; i < pieces; ++i) {
      text += kPieces[random() % std::size(kPieces)];
    }
    // Closed from behind, so that more than a few are templates.
    std::string closing;
    for (size_t at = 0; (at = text.find("{% ", at)) != text.npos; ++at) {
      if (text.substr(at).starts_with("{% for")) closing.insert(0, "{% endfor %}");
      if (text.substr(at).starts_with("{% if")) closing.insert(0, "{% endif %}");
      if (text.substr(at).starts_with("{% end") && !closing.empty()) {
        closing.erase(0, closing.find("%}") + 2);
      }
    }
    auto parser = ChatParser::Create(test::FormRequest((text + closing).c_str()));
    if (!parser.ok()) {
      EXPECT_STRNE(parser.status().message(), "");
      continue;
    }
    ++made;
    std::string answer;
    for (size_t i = 0, pieces = random() % 12; i < pieces; ++i) {
      answer += test::kAnswerPieces[random() % std::size(test::kAnswerPieces)];
    }
    const Parsed parsed = test::Parse(**parser, answer);
    ASSERT_EQ(test::Parse(**parser, answer, 1, 1), parsed) << answer << "\nin " << text + closing;
  }
  std::printf("%zu of 3000 templates have a form\n", made);
  EXPECT_GT(made, 30u);
}

}  // namespace
}  // namespace rondo
