#include "tools/serve/models_flags.h"

#include <filesystem>
#include <tuple>
#include <utility>

#include "tools/common/flags.h"
#include "tools/common/limits.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/system/process.h"

namespace rondo::tools::serve {
namespace {

std::pair<std::string, std::string> Named(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals != text.npos && equals > 0) return {text.substr(0, equals), text.substr(equals + 1)};
  return {std::filesystem::path(text).stem().string(), text};
}

}  // namespace

std::vector<ModelWish> ModelsWish::Wishes() const {
  std::vector<ModelWish> wishes;
  for (const std::string& text : models) {
    ModelWish& wish = wishes.emplace_back(each);
    wish.speculation = session.speculation;
    std::tie(wish.name, wish.path) = Named(text);
  }
  if (!draft.empty()) {
    wishes[0].draft = draft;
    wishes[0].speculation = RONDO_SPECULATION_DRAFT_MODEL;
  }
  for (const std::string& text : adapters) {
    const auto [name, path] = Named(text);
    wishes[0].adapters.push_back({name, path});
  }
  return wishes;
}

uint64_t ModelsWish::Memory() const { return memory > 0 ? memory : AvailableMemory(); }

void AddModelsFlags(CLI::App* command, ModelsWish* wish) {
  AddSize(command, "--memory", &wish->memory,
          "What all models that are loaded at once may take; default: what the machine has")
      ->group(kMemoryGroup);
  AddInteger(command, "--sessions", &wish->each.sessions, {1, kMostSessions},
             "Texts that a model generates at once", FormatCount(wish->each.sessions))
      ->group(kMemoryGroup);
  AddContextFlag(command, &wish->each.engine, "of each model its own, but at most 8,192");
  AddThreadsFlag(command, &wish->each.engine);
  AddKvFlag(command, &wish->each.engine.kv_format);
  AddSpeculationFlags(command, &wish->each.engine, &wish->session, &wish->draft);
  AddInteger(command, "--image-rows", &wish->each.image_rows, {0, kMostMediaRows, "no pictures"},
             "Rows of all pictures that there is memory for",
             "of models that see as many as " + FormatCount(kUsualPictures) + " pictures of " +
                 std::to_string(kUsualSize.width) + " x " + std::to_string(kUsualSize.height) +
                 " have")
      ->group(kMemoryGroup);
  AddTexts(command, "--adapter", &wish->adapters,
           "A LoRA adapter of the first model, which requests name as a model, by its file's name "
           "or by what stands before it and an equals sign; can be given several times; default: "
           "none")
      ->check([](const std::string& text) { return WrongFileName(Named(text).second); })
      ->type_name("FILE")
      ->group(kMemoryGroup);
}

}  // namespace rondo::tools::serve
