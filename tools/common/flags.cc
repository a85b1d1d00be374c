#include "tools/common/flags.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>

#include "tools/common/context.h"
#include "tools/common/numbers.h"

namespace rondo::tools {
namespace {

// Names for the values of an int32_t, without CLI11's own description of the table.
CLI::Option* AddNamed(CLI::App* command, const std::string& name, int32_t* value,
                      const std::map<std::string, int32_t>& names, const std::string& shown,
                      const std::string& description) {
  return command
      ->add_option_function<std::string>(
          name,
          [value, names, name, shown](const std::string& text) {
            const auto found = names.find(text);
            if (found == names.end()) {
              throw CLI::ValidationError(name, "\"" + text + "\" is not one of " + shown);
            }
            *value = found->second;
          },
          description)
      ->type_name(shown);
}

}  // namespace

void AddModelArgument(CLI::App* command, std::string* path) {
  command->add_option("MODEL", *path, "A Rondo file, made by `rondo convert`")
      ->required()
      ->type_name("");
}

void AddContextFlag(CLI::App* command, rondo_engine_options* options,
                    const std::string& if_absent) {
  command
      ->add_option(
          "--context", options->context,
          "Tokens that the model sees at once; memory grows with them; default: " + if_absent)
      ->check(CLI::Range(uint32_t{1}, UINT32_MAX).description(""))
      ->type_name("N")
      ->group(kMemoryGroup);
}

void AddThreadsFlag(CLI::App* command, rondo_engine_options* options) {
  command
      ->add_option("--threads", options->threads,
                   "Threads to compute with, 1 to 1,024; default: the performance cores")
      ->check(CLI::Range(uint32_t{1}, uint32_t{1024}).description(""))
      ->type_name("N")
      ->group(kMemoryGroup);
}

void AddPolicyFlags(CLI::App* command, rondo_engine_options* options) {
  AddNamed(command, "--policy", &options->context_policy,
           {{"stop", RONDO_POLICY_STOP}, {"slide", RONDO_POLICY_SLIDE}}, "stop|slide",
           "When the context is full: stop, or let the oldest tokens go; default: stop")
      ->group(kMemoryGroup);
  command
      ->add_option("--sinks", options->sink_tokens,
                   "With --policy slide: the first tokens, which stay; default: 0")
      ->type_name("N")
      ->group(kMemoryGroup);
}

void AddKvFlag(CLI::App* command, rondo_engine_options* options) {
  AddKvFlag(command, options, "--kv",
            "Format of cached keys and values; f32 is the slow reference; default: int8");
}

CLI::Option* AddKvFlag(CLI::App* command, rondo_engine_options* options, const std::string& name,
                       const std::string& description) {
  return AddNamed(command, name, &options->kv_format,
                  {{"int8", RONDO_KV_INT8}, {"f32", RONDO_KV_FLOAT32}}, "f32|int8", description)
      ->group(kMemoryGroup);
}

void AddSamplingFlags(CLI::App* command, SamplingWish* wish) {
  // CLI11 reads "-4" as an unsigned number of 64 bits.
  const CLI::Validator unsigned_number = CLI::Validator(CLI::NonNegativeNumber).description("");
  rondo_session_options& s = wish->session.options;
  const std::string model = "; default: the model's, else ";
  const auto add = [command](const std::string& name, auto* value, const std::string& type,
                             const std::string& description) {
    return command->add_option(name, *value, description)->type_name(type)->group(kSamplingGroup);
  };
  add("--max-tokens", &s.max_tokens, "N",
      "Tokens to generate at most; 0: no limit; default: " + FormatCount(s.max_tokens))
      ->check(unsigned_number);
  CLI::Option* greedy = command->add_flag("--greedy", wish->greedy,
                                          "Always the most likely token, as --temperature 0");
  greedy->group(kSamplingGroup);
  add("--temperature", &wish->temperature, "X",
      "How freely to choose, from 0: the most likely token; below 1 the likely ones gain, above 1 "
      "the others" +
          model + "0")
      ->excludes(greedy);
  add("--top-k", &wish->top_k, "K", "Choose among the K most likely tokens; 0: all" + model + "0");
  add("--top-p", &wish->top_p, "P",
      "Choose among the fewest tokens that together reach this probability, above 0, at most 1 "
      "(all)" +
          model + "1");
  add("--min-p", &wish->min_p, "P",
      "Choose among tokens of at least this share of the best one's probability, from 0 (all) to "
      "below 1" +
          model + "0");
  add("--repeat-penalty", &wish->repetition_penalty, "X",
      "Weaken tokens seen, the more the further above 1; 1: off" + model + "1");
  add("--presence-penalty", &s.presence_penalty, "X",
      "Subtracted from the score of each token seen; default: 0");
  add("--frequency-penalty", &s.frequency_penalty, "X",
      "Subtracted for each time that a token was seen; default: 0");
  add("--penalty-last-n", &wish->penalty_last_n, "N",
      "Last tokens in which penalties look for those seen, 0 to 4,096" + model + "64");
  add("--no-repeat-ngram", &wish->no_repeat_ngram, "N",
      "Never the same N tokens in a row twice, within the last 4,096; up to 256; 0: off" + model +
          "0")
      ->check(unsigned_number);
  add("--seed", &s.seed, "N",
      "Of the random numbers: the same seed gives the same text; default: 0")
      ->check(unsigned_number);
  add("--stop", &wish->session.stop, "TEXT",
      "End before this text, or at this special token; can be given up to 16 times; \"\": none; "
      "default: the model's, else none")
      ->take_all()
      ->expected(1);
  command
      ->add_flag_callback(
          "--ignore-eos", [&s] { s.ignore_eos = 1; }, "Go on after the model's end tokens")
      ->group(kSamplingGroup);
}

void AddForceFlag(CLI::App* command, Replace* replace) {
  command
      ->add_flag_callback(
          "--force", [replace] { *replace = Replace::kAnyFile; },
          "Replace an existing file even where it is of another kind")
      ->group(kOutputGroup);
}

CLI::Option* AddBytesOption(CLI::App* command, const std::string& name, uint64_t* bytes,
                            const std::string& description) {
  return command
      ->add_option_function<std::string>(
          name,
          [bytes, name](const std::string& text) {
            char* end = nullptr;
            const double number = std::strtod(text.c_str(), &end);
            const size_t power = std::string_view("KMG").find(
                static_cast<char>(std::toupper(static_cast<unsigned char>(*end))));
            double unit = 1;
            if (*end != '\0' && power != std::string_view::npos) {
              for (size_t i = 0; i <= power; ++i) unit *= 1000;
              ++end;
              if (*end == 'B') ++end;
            }
            if (end == text.c_str() || *end != '\0' || !(number * unit >= 1) ||
                number * unit >= 0x1p63) {
              throw CLI::ValidationError(
                  name, "\"" + text + "\" is no number of bytes (as 800000000, 800M or 1.5GB)");
            }
            *bytes = static_cast<uint64_t>(number * unit);
          },
          description)
      ->type_name("BYTES");
}

}  // namespace rondo::tools
