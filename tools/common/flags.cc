#include "tools/common/flags.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>

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

void AddContextFlag(CLI::App* command, rondo_engine_options* options) {
  command
      ->add_option("--context", options->context,
                   "Tokens that a session can see; the model's own length if not given")
      ->check(CLI::Range(uint32_t{1}, UINT32_MAX).description(""))
      ->type_name("N");
}

void AddThreadsFlag(CLI::App* command, rondo_engine_options* options) {
  command
      ->add_option("--threads", options->threads,
                   "Threads to compute with; performance cores if not given")
      ->check(CLI::Range(uint32_t{1}, uint32_t{1024}).description(""))
      ->type_name("N");
}

void AddPolicyFlags(CLI::App* command, rondo_engine_options* options) {
  AddNamed(command, "--policy", &options->context_policy,
           {{"stop", RONDO_POLICY_STOP}, {"slide", RONDO_POLICY_SLIDE}}, "stop|slide",
           "When the context is full: stop, or let the oldest tokens go; stop if not given");
  command
      ->add_option("--sinks", options->sink_tokens,
                   "With --policy slide: first tokens that stay; 0 if not given")
      ->type_name("N");
}

void AddKvFlag(CLI::App* command, rondo_engine_options* options) {
  AddKvFlag(command, options, "--kv",
            "Format of cached keys and values: f32 is the slow reference; int8 if not given");
}

CLI::Option* AddKvFlag(CLI::App* command, rondo_engine_options* options, const std::string& name,
                       const std::string& description) {
  return AddNamed(command, name, &options->kv_format,
                  {{"int8", RONDO_KV_INT8}, {"f32", RONDO_KV_FLOAT32}}, "f32|int8", description);
}

void AddSamplingFlags(CLI::App* command, SessionSetup* setup) {
  // CLI11 reads "-4" as an unsigned number of 64 bits.
  const CLI::Validator unsigned_number = CLI::Validator(CLI::NonNegativeNumber).description("");
  rondo_session_options& s = setup->options;
  command
      ->add_option(
          "--max-tokens", s.max_tokens,
          "Tokens to generate; 0: no limit; " + std::to_string(s.max_tokens) + " if not given")
      ->check(unsigned_number)
      ->type_name("N");
  command->add_option("--temperature", s.temperature, "0 (if not given): the most likely token")
      ->type_name("X");
  command->add_option("--top-k", s.top_k, "Choose among the K most likely; 0: all")->type_name("K");
  command->add_option("--top-p", s.top_p, "Choose among the fewest that reach this probability")
      ->type_name("P");
  command
      ->add_option("--min-p", s.min_p, "Choose among those of this share of the best's probability")
      ->type_name("P");
  command->add_option("--repeat-penalty", s.repetition_penalty, "Weaken tokens seen; 1: off")
      ->type_name("X");
  command->add_option("--presence-penalty", s.presence_penalty, "Subtracted from tokens seen")
      ->type_name("X");
  command
      ->add_option("--frequency-penalty", s.frequency_penalty,
                   "Subtracted for each time that a token was seen")
      ->type_name("X");
  command
      ->add_option("--penalty-last-n", s.penalty_last_n,
                   "Tokens that penalties look back; 64 if not given")
      ->type_name("N");
  command->add_option("--seed", s.seed, "Of the random numbers; 0 if not given")
      ->check(unsigned_number)
      ->type_name("N");
  command->add_option("--stop", setup->stop, "End before this text; can be given again")
      ->take_all()
      ->expected(1)
      ->type_name("TEXT");
  command->add_flag_callback(
      "--ignore-eos", [&s] { s.ignore_eos = 1; }, "Go on after the model's end tokens");
}

void AddForceFlag(CLI::App* command, Replace* replace) {
  command->add_flag_callback(
      "--force", [replace] { *replace = Replace::kAnyFile; },
      "Replace an existing file even where it is of another kind");
}

CLI::Option* AddBytesOption(CLI::App* command, const std::string& name, uint64_t* bytes,
                            const std::string& description) {
  return command
      ->add_option_function<std::string>(
          name,
          [bytes, name](const std::string& text) {
            char* end = nullptr;
            const double number = std::strtod(text.c_str(), &end);
            const size_t power = std::string_view("KMG").find(*end);
            double unit = 1;
            if (*end != '\0' && power != std::string_view::npos) {
              for (size_t i = 0; i <= power; ++i) unit *= 1024;
              ++end;
            }
            if (end == text.c_str() || *end != '\0' || !(number * unit >= 1) ||
                number * unit >= 0x1p63) {
              throw CLI::ValidationError(
                  name, "\"" + text + "\" is no number of bytes (as 800000000, 800M or 1.5G)");
            }
            *bytes = static_cast<uint64_t>(number * unit);
          },
          description)
      ->type_name("BYTES");
}

}  // namespace rondo::tools
