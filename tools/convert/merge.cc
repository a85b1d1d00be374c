#include "tools/convert/merge.h"

#include "tools/convert/fit_spec.h"
#include "tools/convert/sources/peft/merged_checkpoint.h"

namespace rondo::convert {
namespace {

// What is said of a checkpoint that is as `spec` has it.
MergeFacts FactsOf(const DecoderSpec& spec, const Checkpoint& base) {
  DecoderSpec fitted = spec;
  std::vector<std::string> told_later;
  FitToCheckpoint(base, fitted, told_later);
  MergeFacts facts;
  if (!fitted.embedder && fitted.head.weight == fitted.embedding) {
    facts.embedding = fitted.tensors[fitted.embedding].parts.front().source;
    facts.head = spec.tied_head.empty() ? spec.tensors[spec.head.weight].parts.front().source
                                        : spec.tied_head;
  }
  for (const TensorRecipe& recipe : fitted.tensors) {
    for (const TensorRecipe::Part& part : recipe.parts) {
      if (recipe.transposed) facts.inputs_first.insert(part.source);
    }
  }
  return facts;
}

}  // namespace

std::shared_ptr<const Checkpoint> Merge(const std::filesystem::path& adapter,
                                        const DecoderSpec& spec,
                                        const std::shared_ptr<const Checkpoint>& base,
                                        std::vector<std::string>& notes) {
  auto merged = std::make_shared<MergedCheckpoint>(base, adapter, FactsOf(spec, *base));
  notes.insert(notes.end(), merged->notes().begin(), merged->notes().end());
  return merged;
}

}  // namespace rondo::convert
