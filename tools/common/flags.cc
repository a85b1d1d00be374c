#include "tools/common/flags.h"

#include "tools/common/context.h"
#include "tools/common/kv_formats.h"
#include "tools/common/limits.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/printable.h"

namespace rondo::tools {
namespace {

constexpr RealRange kTemperature = {0, kLargestFloat, true, true, "from 0"};
constexpr RealRange kTopP = {0, 1, false, true, "above 0, at most 1"};
constexpr RealRange kMinP = {0, 1, true, false, "from 0 to below 1"};
constexpr RealRange kPenalty = {0, kLargestFloat, false, true, "above 0"};

// Why this cannot be a text to stop at; empty where it can.
std::string WrongStop(const std::string& text) {
  if (text.size() > kMostStopBytes) {
    return "a text of " + FormatCount(text.size(), "byte") + ", expected at most " +
           std::to_string(kMostStopBytes);
  }
  const size_t valid = Utf8Prefix(text);
  if (valid == text.size()) return "";
  return "the text is not UTF-8 at its byte " + std::to_string(valid);
}

}  // namespace

void AddModelArgument(CLI::App* command, std::string* path) {
  AddFile(command, "MODEL", path, "A Rondo file, made by `rondo convert`")
      ->required()
      ->type_name("");
}

void AddContextFlag(CLI::App* command, EngineOptions* options, const std::string& if_absent) {
  AddInteger(command, "--context", &options->context, {1, kMostContext},
             "Tokens that the model sees at once (memory grows with them)", if_absent)
      ->group(kMemoryGroup);
}

void AddThreadsFlag(CLI::App* command, EngineOptions* options) {
  AddInteger(command, "--threads", &options->threads, {1, kMostThreads}, "Threads to compute with",
             "the performance cores")
      ->group(kMemoryGroup);
}

void AddPolicyFlags(CLI::App* command, EngineOptions* options) {
  AddChoice(command, "--policy", {"stop", "slide"},
            "When the context is full: stop, or let the oldest tokens go; default: stop",
            [options](const std::string& word) {
              options->context_policy = word == "slide" ? RONDO_POLICY_SLIDE : RONDO_POLICY_STOP;
            })
      ->group(kMemoryGroup);
  AddInteger(command, "--sinks", &options->sink_tokens, {0, kMostContext},
             "With --policy slide: the first tokens, which stay", "0")
      ->group(kMemoryGroup);
  command->parse_complete_callback([options] {  // before the command's own
    if (options->sink_tokens > 0 && options->context_policy != RONDO_POLICY_SLIDE) {
      throw CLI::ValidationError("--sinks", "goes with --policy slide");
    }
  });
}

void AddKvFlag(CLI::App* command, int32_t* kv_format) {
  AddKvFlag(
      command, kv_format, "--kv",
      "Format of cached keys and values: int8, k8v4 or k4v4 (values, or both, in 4 bits), or f32, "
      "the slow reference; default: int8");
}

CLI::Option* AddKvFlag(CLI::App* command, int32_t* kv_format, const std::string& name,
                       const std::string& description) {
  std::vector<std::string> words;
  for (const KvFormatWord& one : kKvFormats) words.push_back(one.word);
  return AddChoice(command, name, words, description,
                   [kv_format](const std::string& word) {
                     for (const KvFormatWord& one : kKvFormats) {
                       if (word == one.word) *kv_format = one.format;
                     }
                   })
      ->group(kMemoryGroup);
}

void AddSamplingFlags(CLI::App* command, SessionOptions* session) {
  SessionOptions& s = *session;
  const auto of_model = [](const std::string& otherwise) {
    return "the model's, else " + otherwise;
  };
  AddInteger(command, "--max-tokens", &s.max_tokens, {0, UINT64_MAX, "no limit"},
             "Tokens to generate at most", FormatCount(s.max_tokens))
      ->group(kSamplingGroup);
  const auto add_real = [&](const std::string& name, auto* value, const RealRange& range,
                            const char* type, const std::string& about, const std::string& absent) {
    return AddReal(command, name, value, range, about, absent)
        ->type_name(type)
        ->group(kSamplingGroup);
  };
  const auto add_integer = [&](const std::string& name, auto* value, const IntegerRange& range,
                               const std::string& about, const std::string& absent) {
    return AddInteger(command, name, value, range, about, absent)->group(kSamplingGroup);
  };
  CLI::Option* greedy = command->add_flag_callback(
      "--greedy", [&s] { s.temperature = 0.0f; },
      "Always the most likely token, as --temperature 0");
  greedy->group(kSamplingGroup);
  add_real("--temperature", &s.temperature, kTemperature, "X",
           "How freely to choose: 0 takes the most likely token; below 1 the likely ones gain, "
           "above 1 the others",
           of_model("0"))
      ->excludes(greedy);
  add_integer("--top-k", &s.top_k, {0, INT32_MAX, "all"}, "Choose among the K most likely tokens",
              of_model("0"))
      ->type_name("K");
  add_real("--top-p", &s.top_p, kTopP, "P",
           "Choose among the fewest tokens that together reach this probability (1: all)",
           of_model("1"));
  add_real("--min-p", &s.min_p, kMinP, "P",
           "Choose among tokens of at least this share of the best one's probability (0: all)",
           of_model("0"));
  add_real("--repeat-penalty", &s.repetition_penalty, kPenalty, "X",
           "Weaken tokens seen, the more the further above 1 (1: off)", of_model("1"));
  add_real("--presence-penalty", &s.presence_penalty, kAnyReal, "X",
           "Subtracted from the score of each token seen", "0");
  add_real("--frequency-penalty", &s.frequency_penalty, kAnyReal, "X",
           "Subtracted for each time that a token was seen", "0");
  add_integer("--penalty-last-n", &s.penalty_last_n, {0, kMostPenaltyTokens},
              "Last tokens in which penalties look for those seen", of_model("64"));
  add_integer("--no-repeat-ngram", &s.no_repeat_ngram_size, {0, kMostNgram, "off"},
              "Never the same N tokens in a row twice, within the last 4,096", of_model("0"));
  AddInteger(command, "--seed", &s.seed, {0, UINT64_MAX},
             "Of the random numbers: the same seed gives the same text", "0")
      ->group(kSamplingGroup);
  AddTexts(command, "--stop", &s.stop,
           "End before this text of at most " + std::to_string(kMostStopBytes) +
               " bytes, or at this special token; can be given up to " +
               std::to_string(kMostStops) + " times; \"\": none; default: the model's, else none")
      ->check(WrongStop)
      ->type_name("TEXT")
      ->group(kSamplingGroup);
  command
      ->add_flag_callback(
          "--ignore-eos", [&s] { s.ignore_eos = true; }, "Go on after the model's end tokens")
      ->group(kSamplingGroup);
}

void AddSpeculationFlags(CLI::App* command, EngineOptions* engine, SessionOptions* session,
                         std::string* draft) {
  const bool is_usual = session->speculation != RONDO_SPECULATION_NONE;
  CLI::Option* speculate =
      AddChoice(command, "--speculate", {"lookup", "head", "off"},
                "Verify several tokens at once where the text repeats itself, or what the model's "
                "draft head proposes, which changes its time and not the text; default: " +
                    std::string(is_usual ? "lookup" : "off"),
                [engine, session](const std::string& word) {
                  engine->draft_head = word == "head" ? 1 : 0;
                  session->speculation = word == "off"    ? RONDO_SPECULATION_NONE
                                         : word == "head" ? RONDO_SPECULATION_DRAFT_HEAD
                                                          : RONDO_SPECULATION_PROMPT_LOOKUP;
                })
          ->group(kMemoryGroup);
  AddFile(
      command, "--draft", draft,
      "A small model of the same vocabulary, which proposes the tokens to verify; default: none")
      ->excludes(speculate)
      ->group(kMemoryGroup);
}

CLI::Option* AddAdapterFlag(CLI::App* command, std::string* adapter) {
  return AddFile(command, "--adapter", adapter,
                 "A LoRA adapter for this model, made by `rondo convert --adapter-for`; default: "
                 "none");
}

CLI::Option* AddBlockOption(CLI::App* command, uint32_t* block) {
  return AddChoice(command, "--block", {"32", "64", "128"},
                   "Weights that share a scale in q4b; default: 32",
                   [block](const std::string& word) {
                     *block = static_cast<uint32_t>(ReadInteger("--block", word, {32, 128}));
                   });
}

void AddForceFlag(CLI::App* command, Replace* replace) {
  command
      ->add_flag_callback(
          "--force", [replace] { *replace = Replace::kAnyFile; },
          "Replace an existing file even where it is of another kind")
      ->group(kOutputGroup);
}

CLI::Option* AddOutputFile(CLI::App* command, std::string* path, const std::string& description) {
  return AddFile(command, "-o,--output", path, description)->group(kOutputGroup);
}

}  // namespace rondo::tools
