// Writes the logits of every position, so that anyone can hold a conversion against the original.
#include "tools/commands.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tools/common/flags.h"
#include "tools/common/interrupt.h"
#include "tools/common/library.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/picture_flags.h"
#include "tools/common/prompt_pictures.h"
#include "tools/common/sight.h"
#include "tools/logits/npy_file.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo logits model.rondo --ids 1,306,763 -o logits.npy
  rondo logits model.rondo --prompt "Once upon a time" -o logits.npy --kv f32
  rondo logits model.rondo --ids 1,306,763 -o logits.npy --adapter my-lora.rondo
  rondo logits model.rondo --prompt " shows" --image cat.jpg -o logits.npy

In Python: numpy.load("logits.npy") is float32 [tokens, vocabulary]; row i predicts token i + 1.
Pictures have no rows of their own there.)";

struct Arguments {
  std::string model;
  std::vector<int32_t> ids;
  std::string prompt;
  std::string output;
  std::string adapter;
  PicturesWish pictures;
  Replace replace = Replace::kSameKind;
  EngineOptions engine;
};

// The logits of all ids but those that stand for pictures.
void Evaluate(Session* session, const std::vector<int32_t>& ids, const PromptPictures& pictures,
              NpyFile* file) {
  auto begin = ids.begin();
  const auto write_up_to = [&](auto end) {
    if (begin == end) return;
    session->PrefillLogits({&*begin, static_cast<size_t>(end - begin)},
                           [&](size_t, View<const float> row) {
                             try {
                               file->Append({row.data(), row.size()});
                             } catch (...) {
                               session->Cancel();  // nobody needs the other rows
                               throw;
                             }
                           });
  };
  for (const Media& picture : pictures.media()) {
    const auto at = std::find(begin, ids.end(), pictures.token());
    write_up_to(at);
    session->AppendMedia({&*at, 1}, {picture});
    begin = at + 1;
  }
  write_up_to(ids.end());
}

void Run(Arguments arguments) {
  const Model model = OpenModel(arguments.model);
  PromptPictures pictures(model, arguments.pictures);
  const std::vector<int32_t> ids =
      arguments.ids.empty() ? pictures.Tokenize(arguments.prompt, true) : arguments.ids;
  pictures.CheckPlaces(ids);
  if (ids.empty()) throw Error("the prompt is empty; give --prompt a text, or --ids");
  if (arguments.engine.context == 0) {
    arguments.engine.context =
        static_cast<uint32_t>(std::min<uint64_t>(pictures.PositionsOf(ids), UINT32_MAX));
  }
  arguments.engine.max_media_rows = pictures.rows();
  const size_t rows = ids.size() - arguments.pictures.files.size();
  const uint32_t vocab_size = model.Info().vocab_size;
  SessionOptions options;
  UseAdapter(arguments.adapter, model, &arguments.engine, &options);
  NpyFile file(arguments.output, arguments.replace, rows, vocab_size);
  const Engine engine = CreateEngine(model, arguments.engine);
  Session session(engine, options);
  pictures.Encode(engine);
  const CancelOnSignal guard(session.get());
  Evaluate(&session, ids, pictures, &file);
  file.Commit();
  Print(Printable(arguments.output) + ": float32 [" + std::to_string(rows) + ", " +
        std::to_string(vocab_size) + "]\n");
}

}  // namespace

void AddLogitsCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("logits", "Write the logits of every position of a text");
  AddModelArgument(command, &a->model);
  CLI::Option_group* input = command->add_option_group("Input (one of these)");
  AddIntegersTo(input, "--ids", {0, INT32_MAX}, "Token ids, separated by commas, as they are",
                "none", [a](uint64_t id) { a->ids.push_back(static_cast<int32_t>(id)); })
      ->type_name("1,2,3");
  input->add_option("--prompt", a->prompt, "A text, with the model's BOS; default: none")
      ->type_name("TEXT");
  input->require_option(1);
  AddImageFlags(command, &a->pictures);
  AddOutputFile(command, &a->output, "The .npy file to write")->required();
  AddForceFlag(command, &a->replace);
  AddContextFlag(command, &a->engine, "as many as the text has");
  AddKvFlag(command, &a->engine.kv_format);
  AddThreadsFlag(command, &a->engine);
  AddAdapterFlag(command, &a->adapter)->group(kMemoryGroup);
  command->footer(kExamples);
  command->callback([a] {
    CheckImageOptions(a->pictures.options, !a->pictures.files.empty());
    Run(*a);
  });
}

}  // namespace rondo::tools
