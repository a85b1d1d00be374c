#include "tools/convert/names_of_checkpoint.h"

namespace rondo::convert {
namespace {

// `name` with one of its parts called otherwise; empty: it has no such part.
std::string Renamed(const std::string& name, const OtherName& other) {
  const size_t at = name.find(other.ours);
  if (at == std::string::npos) return "";
  std::string renamed = name;
  return renamed.replace(at, other.ours.size(), other.theirs);
}

}  // namespace

void TakeOtherNames(const Checkpoint& checkpoint, DecoderSpec& spec) {
  const auto rename = [&](std::string& name) {
    if (name.empty() || checkpoint.tensors().contains(name)) return;
    for (const OtherName& other : spec.other_names) {
      const std::string renamed = Renamed(name, other);
      if (!checkpoint.tensors().contains(renamed)) continue;
      name = renamed;
      return;
    }
  };
  for (TensorRecipe& recipe : spec.tensors) {
    for (TensorRecipe::Part& part : recipe.parts) rename(part.source);
    for (TensorRecipe::Form& form : recipe.others) {
      for (TensorRecipe::Part& part : form.parts) rename(part.source);
    }
  }
  const std::set<std::string> ignored = spec.ignored;
  for (const std::string& name : ignored) {
    for (const OtherName& other : spec.other_names) {
      const std::string renamed = Renamed(name, other);
      if (!renamed.empty()) spec.ignored.insert(renamed);
    }
  }
}

void TieHead(const Checkpoint& checkpoint, DecoderSpec& spec) {
  const TensorRecipe& head = spec.tensors[spec.head.weight];
  const bool is_last = spec.head.weight + 1 == spec.tensors.size();  // it has no bias
  if (!spec.head_may_be_tied || !is_last) return;
  if (checkpoint.tensors().contains(head.parts.front().source)) return;
  spec.tensors.pop_back();
  spec.head.weight = spec.embedding;
}

}  // namespace rondo::convert
