#include "tools/commands.h"

#include <memory>

#include "tools/common/flags.h"
#include "tools/common/options.h"
#include "tools/convert/conversion.h"
#include "tools/convert/model_name.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo convert Llama-3.2-1B -o llama-1b.rondo --weights q8
  rondo convert Llama-3.2-1B -o llama-1b-q4.rondo --weights q4
  rondo convert Llama-3.2-1B -o llama-1b-q4.rondo --weights q4 --calibrate book.txt
  rondo convert Llama-3.2-1B -o llama-1b-5.rondo --weights auto --bits 5 --calibrate book.txt
  rondo convert Llama-3.2-1B.Q4_0.gguf -o llama-1b-q4b.rondo
  rondo convert my-lora --adapter-for llama-1b.rondo -o my-lora.rondo
  rondo convert Llama-3.2-1B --merge my-lora -o llama-1b-mine.rondo

FILE appears whole, opened and tried with one token, or not at all; an existing Rondo file of that
name is replaced.)";

struct Arguments {
  std::string model, revision;
  ConversionWish wish;
};

}  // namespace

void AddConvertCommand(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("convert", "Make a Rondo file from a Hugging Face folder or a GGUF file");
  AddFile(command, "MODEL", &arguments->model,
          "Folder with config.json, *.safetensors and tokenizer.json (or tokenizer.model, "
          "*.tiktoken), a GGUF file (of a split one the first part), or ORG/MODEL of a hub "
          "that is in the local cache")
      ->required()
      ->type_name("");
  command
      ->add_option("--revision", arguments->revision,
                   "Of ORG/MODEL in the cache: a branch, tag or commit; default: main, or the only "
                   "one there is")
      ->type_name("NAME");
  AddConversionFlags(command, &arguments->wish);
  AddAdapterFlags(command, &arguments->wish);
  AddOutputFile(command, &arguments->wish.output, "The file to write")->required();
  command->footer(kExamples);
  command->callback([arguments] {
    const ConversionWish& wish = arguments->wish;
    CheckCombination(wish);
    const Named kind = wish.adapter_for.empty() ? Named::kModel : Named::kAdapter;
    RunConversion(FindNamed(arguments->model, arguments->revision, kind).string(), wish);
  });
}

}  // namespace rondo::tools
