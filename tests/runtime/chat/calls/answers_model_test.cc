// What the reference templates write for answers with thoughts and calls is parsed back to these.
#include <gtest/gtest.h>

#include <map>

#include "tests/runtime/chat/calls/parsed.h"
#include "tests/runtime/chat/calls/reference_answers.h"
#include "tests/support/reference_data.h"

namespace rondo::answers_model_test {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;
using test::Answer;
using test::Parsed;
using test::ReferenceTemplate;

// ---- What each template shows ----

// j: arguments are JSON; t: in tags; n: in a notation of its own. Then + where there may be several
// calls, and k where thoughts are told. Else the end of the sentence that refuses calls.
const std::map<std::string, std::string>& Expected() {
  static const std::string kLeftOut = "it leaves an assistant's tool_calls out";
  static const std::string kAppend =
      "SecurityError: access to attribute 'append' of 'list' object "
      "is unsafe.";
  static const std::map<std::string, std::string> expected = {
      {"real_gemma", kLeftOut},
      {"real_gemma3", kLeftOut},
      {"real_gpt-oss", "j"},
      {"real_llama3.2", "j"},
      {"real_minimind", "j+k"},
      {"real_nvidia-mistral", kLeftOut},
      {"real_phi-3-ort", kLeftOut},
      {"real_phi-3-vision", kLeftOut},
      {"real_phi-4", kLeftOut},
      {"real_phi-4-mini", kLeftOut},
      {"real_qwen2.5", "j+"},
      {"real_qwen3-ort", "j+k"},
      {"real_smollm3", kLeftOut},
      {"tpl_Apertus-8B-Instruct", "j+k"},
      {"tpl_Bielik-11B-v3.0-Instruct", "j+k"},
      {"tpl_ByteDance-Seed-OSS", "t+k"},
      {"tpl_CohereForAI-c4ai-command-r-plus-tool_use", "j+"},
      {"tpl_CohereForAI-c4ai-command-r7b-12-2024-tool_use.ik", "j+k"},
      {"tpl_GLM-4.6", "t+k"},
      {"tpl_GLM-4.7-Flash", "t+k"},
      {"tpl_GigaChat3-10B-A1.8B", "j"},
      {"tpl_GigaChat3.1-10B-A1.8B", "j"},
      {"tpl_Kimi-K2-Instruct", kAppend},
      {"tpl_Kimi-K2-Thinking", kAppend},
      {"tpl_LFM2.5-Instruct", kLeftOut},
      {"tpl_MiMo-VL", "j+"},
      {"tpl_Mistral-Small-3.2-24B-Instruct-2506", "j+"},
      {"tpl_NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "t+k"},
      {"tpl_NousResearch-Hermes-3-Llama-3.1-8B-tool_use", "j+"},
      {"tpl_Qwen-QwQ-32B", "j+k"},
      {"tpl_Qwen-Qwen3-0.6B", "j+k"},
      {"tpl_Qwen3-Coder", "t+"},
      {"tpl_Reka-Edge", "j+k"},
      {"tpl_StepFun3.5-Flash", "t+k"},
      {"tpl_deepseek-ai-DeepSeek-R1-Distill-Llama-8B", "j+k"},
      {"tpl_deepseek-ai-DeepSeek-R1-Distill-Qwen-32B.ik", "j+k"},
      {"tpl_deepseek-ai-DeepSeek-V3.1", "j+k"},
      {"tpl_deepseek-ai-DeepSeek-V3.2", "t+k"},
      {"tpl_fireworks-ai-llama-3-firefunction-v2", "j+"},
      {"tpl_fireworks-ai-llama-3-firefunction-v2.ik", "j+"},
      {"tpl_google-gemma-4-31B-it", "n+k"},
      {"tpl_google-gemma-4-31B-it-interleaved", "n+k"},
      // The template itself fails where tools are given.
      {"tpl_llama-cpp-deepseek-r1", "Object of type generator is not JSON serializable"},
      {"tpl_llama-cpp-deepseek-r1.ik", "Object of type generator is not JSON serializable"},
      {"tpl_meetkai-functionary-medium-v3.1", "j+"},
      {"tpl_meetkai-functionary-medium-v3.1.ik", "j+"},
      {"tpl_meta-llama-Llama-3.1-8B-Instruct", "j"},
      {"tpl_meta-llama-Llama-3.2-3B-Instruct", "j"},
      {"tpl_microsoft-Phi-3.5-mini-instruct", kLeftOut},
      {"tpl_mistralai-Ministral-3-14B-Reasoning-2512", "j+k"},
      {"tpl_moonshotai-Kimi-K2", "j+"},
      {"tpl_openai-gpt-oss-120b", "jk"},
      {"tpl_unsloth-Apriel-1.5", "j+"},
      {"tpl_unsloth-mistral-Devstral-Small-2507", "j+"},
  };
  return expected;
}

// Templates that write what they are given otherwise than it was.
bool KeepsContentBesideCalls(const std::string& name) {
  // It makes the content beside a call a thought, though alone it is none.
  return name != "real_gpt-oss" && name != "tpl_openai-gpt-oss-120b";
}

bool ShowsContentBesideCalls(const std::string& name) {
  return name != "tpl_deepseek-ai-DeepSeek-R1-Distill-Llama-8B";
}

// ---- Conversations ----

const char* const kTools = R"([
  {"type": "function", "function": {"name": "get_weather", "description": "The weather",
   "parameters": {"type": "object", "properties": {
     "city": {"type": "string", "description": "A city"},
     "days": {"type": "integer", "description": "How many"},
     "exact": {"type": "boolean", "description": "Whether"},
     "scale": {"type": "number", "description": "How much"},
     "list": {"type": "array", "description": "Some", "items": {"type": "string"}},
     "more": {"type": "object", "description": "More", "properties": {},
              "additionalProperties": {"type": "string"}}}, "required": ["city"]}}},
  {"type": "function", "function": {"name": "no-arguments.2", "description": "None",
   "parameters": {"type": "object", "properties": {}, "required": []}}}])";

std::vector<Answer> Answers() {
  const json city = {{"city", "Paris"}};
  const json all = {
      {"city", "M\u00fcnchen \U0001F600 \u4e2d"},
      {"days", -3},
      {"exact", true},
      {"scale", 2.5},
      {"list", {"a", "b c", "it's"}},
      {"more", {{"k", {{"deep", {1, 2, {{"x", nullptr}}}}}}, {"empty", json::object()}}}};
  const json odd = {{"city", "say \"hi\", it's\n  {two} lines, <b>tags</b> & a \\ backslash\n"},
                    {"exact", false},
                    {"list", json::array()}};
  const json number = {{"city", "12"}, {"days", 0}};
  const std::string w = "get_weather", n = "no-arguments.2";
  return {{"Hello there.", "", {}},
          {"Two lines,\n\nand <b>some</b> {\"json\": [1]} too.", "", {}},
          {"42.", "Let me think.\nStep <2>.", {}},
          {"", "", {{w, city}}},
          {"Let me look.", "", {{w, all}}},
          {"", "I need the weather.", {{w, odd}}},
          {"Both.", "Hm.", {{w, number}}},
          {"", "", {{n, json::object()}}},
          {"", "", {{w, all}, {n, json::object()}}},
          {"Three.", "Think.", {{n, json::object()}, {w, odd}, {w, city}}}};
}

std::string Describe(const calls::AnswerForm& form) {
  if (!form.has_calls) return form.no_calls.message();
  std::string text(1, "jtn"[static_cast<size_t>(form.call.kind)]);
  if (form.call.several) text += '+';
  if (!form.thinking_begin.empty()) text += 'k';
  return text;
}

// ---- Rendered and parsed back ----

struct Tally {
  size_t answers = 0, thoughts = 0, calls = 0;
};

class Trial {
 public:
  Trial(const std::string& name, const ReferenceTemplate& reference, const calls::AnswerForm& form,
        ChatParser& parser)
      : name_(name), reference_(reference), form_(form), parser_(parser) {}

  // Finds the spelling in which the template takes the answer, and compares.
  void Run(const Answer& answer) {
    if (!form_.call.several && answer.calls.size() > 1) return;
    if (!answer.calls.empty() && !answer.content.empty() && !ShowsContentBesideCalls(name_)) return;
    for (const bool flat : {false, true}) {
      for (const bool as_text : {false, true}) {
        for (size_t spelling = 0; spelling < (answer.thought.empty() ? 1 : 5); ++spelling) {
          std::string text;
          if (!reference_.Write(answer, kTools, form_, flat, as_text, spelling, &text)) continue;
          const bool thought = text.find(answer.thought) != text.npos;
          // Where none is taken it is tried without, below.
          if (!thought || text.find("'blocks'") != text.npos || text.find("'type'") != text.npos ||
              text.find("\"type\"") != text.npos) {
            continue;
          }
          if (!answer.calls.empty() && !Shows(answer, text, as_text)) continue;
          Compare(answer, text);
          return;
        }
      }
    }
    if (!answer.thought.empty()) {
      Answer without = answer;
      without.thought.clear();
      Run(without);
      return;
    }
    ADD_FAILURE() << name_ << " does not take an answer of " << answer.calls.size() << " calls";
  }

  Tally tally;

 private:
  // Whether the arguments are there as they were meant, not as a text within a text.
  bool Shows(const Answer& answer, const std::string& text, bool as_text) const {
    const Parsed parsed = test::Parse(parser_, text);
    if (parsed.calls.size() != answer.calls.size()) return false;
    // Of two that parse, an object is what most templates want.
    return as_text || form_.call.kind != calls::ArgumentsKind::kJson ||
           text.find("\\\"city\\\"") == text.npos;
  }

  void Compare(const Answer& answer, const std::string& text) {
    SCOPED_TRACE(name_ + ": " + text);
    const Parsed parsed = test::Parse(parser_, text);
    Parsed expected = parsed;
    const bool beside = answer.calls.empty() || KeepsContentBesideCalls(name_);
    if (beside) {
      expected.content = text.find(answer.content) == text.npos ? "" : answer.content;
      expected.thinking = text.find(answer.thought) == text.npos ? "" : answer.thought;
    }
    expected.calls.resize(answer.calls.size());
    EXPECT_EQ(parsed, expected);
    ASSERT_EQ(parsed.calls.size(), answer.calls.size());
    for (size_t i = 0; i < answer.calls.size(); ++i) {
      const test::ParsedCall& call = parsed.calls[i];
      EXPECT_EQ(call.name, answer.calls[i].first);
      EXPECT_TRUE(call.whole);
      const std::string id = "callid00" + std::to_string(i);
      EXPECT_EQ(call.id, text.find(id) == text.npos ? call.id : id);
      // Some templates sort members.
      const auto arguments =
          nlohmann::json::parse(call.arguments, nullptr, /*allow_exceptions=*/false);
      EXPECT_EQ(arguments, nlohmann::json(answer.calls[i].second)) << call.arguments;
    }
    test::ExpectSameForEveryCut(parser_, text, parsed);
    ++tally.answers;
    tally.thoughts += parsed.thinking.empty() ? 0 : 1;
    tally.calls += parsed.calls.size();
  }

  const std::string name_;
  const ReferenceTemplate& reference_;
  const calls::AnswerForm& form_;
  ChatParser& parser_;
};

TEST(AnswersReference, EveryTemplate) {
  if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  RONDO_SKIP_WITHOUT(fs::path(kSharedData) / "chat");
  size_t with_calls = 0;
  for (const fs::path& path : test::ReferenceTemplates()) {
    const std::string name = path.stem().string();
    const ReferenceTemplate reference(path);
    const ChatRequest request = reference.Request(kTools);
    const std::string expected =
        Expected().count(name) == 0 ? "an entry in this test" : Expected().at(name);
    jinja::Machine machine{jinja::Limits()};
    calls::AnswerForm form;
    const Status status = calls::ReadAnswerForm(request, machine, &form);
    const std::string found = status.ok() ? Describe(form) : status.message();
    EXPECT_TRUE(found == expected || (expected.size() > 4 && found.ends_with(expected)) ||
                found.find(expected + ".") != found.npos)
        << name << ": " << found << ", expected " << expected;
    const Result<std::unique_ptr<ChatParser>> parser = ChatParser::Create(request);
    EXPECT_EQ(parser.ok(), status.ok() && form.has_calls) << name;
    if (!parser.ok()) {
      std::printf("%-54s %s\n", name.c_str(), parser.status().message());
      continue;
    }
    Trial trial(name, reference, form, **parser);
    for (const Answer& answer : Answers()) trial.Run(answer);
    std::printf("%-54s %-4s %2zu answers, %zu with thoughts, %2zu calls\n", name.c_str(),
                found.c_str(), trial.tally.answers, trial.tally.thoughts, trial.tally.calls);
    ++with_calls;
  }
  std::printf("%zu of %zu templates with calls\n", with_calls, test::ReferenceTemplates().size());
}

}  // namespace
}  // namespace rondo::answers_model_test
