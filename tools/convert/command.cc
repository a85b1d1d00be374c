#include "tools/convert/command.h"

#include <iostream>
#include <memory>

#include "tools/common/progress_bar.h"
#include "tools/convert/convert.h"
#include "tools/convert/long_task.h"

namespace rondo::tools {
namespace {

using format::TensorFormat;

constexpr const char* kExamples = R"(
Examples:
  rondo convert Llama-3.2-1B -o llama-1b.rondo --weights q8
  rondo convert Llama-3.2-1B -o llama-1b-q4.rondo --weights q4 --block 32
  rondo convert Llama-3.2-1B.Q4_0.gguf -o llama-1b-q4.rondo

FILE appears whole or not at all; an existing Rondo file of that name is replaced.)";

struct Arguments {
  std::string model, output;
  std::string weights;    // empty: not given
  std::string embedding;  // empty: not given
  uint32_t block = 32;
};

TensorFormat FormatOf(const std::string& name) {
  if (name == "f32") return TensorFormat::F32;
  return name == "q8" ? TensorFormat::Q8 : TensorFormat::Q4;
}

void Run(const Arguments& arguments) {
  convert::ConvertOptions options;
  options.directory = arguments.model;
  options.output = arguments.output;
  const std::string weights = arguments.weights.empty() ? "q8" : arguments.weights;
  options.weights = FormatOf(weights);
  options.keep_q4 = arguments.weights.empty() && arguments.embedding.empty();
  options.block = arguments.block;
  const std::string embedding = weights == "q4" ? "q8" : weights;
  options.embedding = FormatOf(arguments.embedding.empty() ? embedding : arguments.embedding);
  convert::ConvertReport report;
  RunLongTask(options.output, [&](const convert::ConvertProgress& progress) {
    report = convert::Convert(options, progress);
  });
  for (const std::string& note : report.notes) std::cout << "note: " << note << '\n';
  std::cout << arguments.output << ": " << report.architecture << ", " << report.parameters
            << " parameters, " << HumanBytes(static_cast<double>(report.file_bytes)) << '\n';
}

}  // namespace

void AddConvertCommand(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  // Without the validators' own descriptions, which repeat the type names.
  const CLI::Validator formats = CLI::IsMember({"f32", "q8", "q4"}).description("");
  const CLI::Validator blocks = CLI::IsMember({32, 64, 128}).description("");
  CLI::App* command =
      app.add_subcommand("convert", "Make a Rondo file from a Hugging Face folder or a GGUF file");
  command
      ->add_option("MODEL", arguments->model,
                   "Folder with config.json, *.safetensors and tokenizer.json (or\n"
                   "tokenizer.model, *.tiktoken), or a GGUF file")
      ->required();
  command->add_option("-o,--output", arguments->output, "The file to write")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--weights", arguments->weights,
                   "Format of the weights: f32, q8 (int8 per output channel) or q4 (4 bits in "
                   "blocks); if not given q8, but what a GGUF file has in Q4_0 stays so")
      ->check(formats)
      ->type_name("f32|q8|q4");
  command
      ->add_option("--embedding", arguments->embedding,
                   "Format of embedding and output head; q8 with --weights q4, else that of "
                   "--weights")
      ->check(formats)
      ->type_name("f32|q8|q4");
  command
      ->add_option("--block", arguments->block, "Weights that share a scale in q4; 32 if not given")
      ->check(blocks)
      ->type_name("32|64|128");
  command->footer(kExamples);
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace rondo::tools
