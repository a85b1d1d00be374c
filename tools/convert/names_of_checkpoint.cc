#include "tools/convert/names_of_checkpoint.h"

#include <algorithm>

#include "tools/common/interrupt.h"

namespace rondo::convert {
namespace {

// `name` with one of its parts called otherwise; empty: it has no such part.
std::string Renamed(const std::string& name, const OtherName& other) {
  const size_t at = name.find(other.ours);
  if (at == std::string::npos) return "";
  std::string renamed = name;
  return renamed.replace(at, other.ours.size(), other.theirs);
}

// Of two tensors of one shape.
bool AreEqual(const Checkpoint& checkpoint, const std::string& a, const std::string& b) {
  constexpr uint64_t kValuesPerRead = 1u << 20;
  const uint64_t n = checkpoint.tensors().at(a).elements();
  std::vector<float> of_a, of_b;
  for (uint64_t first = 0; first < n; first += kValuesPerRead) {
    tools::CheckInterrupt();
    of_a.resize(static_cast<size_t>(std::min(kValuesPerRead, n - first)));
    of_b.resize(of_a.size());
    checkpoint.Read(a, first, of_a);
    checkpoint.Read(b, first, of_b);
    if (of_a != of_b) return false;
  }
  return true;
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

void UntieHead(const Checkpoint& checkpoint, DecoderSpec& spec, std::vector<std::string>& notes) {
  if (spec.tied_head.empty()) return;
  // By its other names, too, all of which are among the ignored.
  const auto own = std::ranges::find_if(spec.ignored, [&](const std::string& name) {
    return name.ends_with(spec.tied_head) && checkpoint.tensors().contains(name);
  });
  const std::string& embedding = spec.tensors[spec.embedding].parts.front().source;
  const auto its = checkpoint.tensors().find(embedding);
  if (own == spec.ignored.end() || its == checkpoint.tensors().end()) return;
  const Checkpoint::Entry& head = checkpoint.tensors().at(*own);
  if (head.shape != its->second.shape) {
    notes.push_back(head.file + ": tensor " + *own +
                    " is left out: it does not have the shape of the embedding, which the config "
                    "says is the head");
    return;
  }
  if (AreEqual(checkpoint, *own, embedding)) return;
  notes.push_back(head.file + ": tensor " + *own +
                  " is not the embedding, which the config says is the head: it is taken as the "
                  "head, as transformers does");
  if (spec.head.weight == spec.embedding) {
    TensorRecipe recipe = spec.tensors[spec.embedding];
    recipe.name = "head";
    spec.head.weight = spec.Add(std::move(recipe));
  }
  spec.tensors[spec.head.weight].parts.front().source = *own;
}

}  // namespace rondo::convert
