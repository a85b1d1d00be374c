#include "tools/convert/fit_spec.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "tools/common/interrupt.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/output/taken.h"

namespace rondo::convert {
namespace {

// `name` with one of its parts called otherwise; empty: it has no such part.
std::string Renamed(const std::string& name, const OtherName& other) {
  const size_t at = name.find(other.ours);
  if (at == std::string::npos) return "";
  std::string renamed = name;
  return renamed.replace(at, other.ours.size(), other.theirs);
}

// Where the checkpoint lacks a tensor and has it by one of spec.other_names, the spec then says so.
void TakeOtherNames(const Checkpoint& checkpoint, DecoderSpec& spec) {
  const auto rename = [&](std::string& name) {
    if (checkpoint.tensors().contains(name)) return;
    for (const OtherName& other : spec.other_names) {
      const std::string renamed = Renamed(name, other);
      if (!checkpoint.tensors().contains(renamed)) continue;
      name = renamed;
      return;
    }
  };
  for (TensorRecipe& recipe : spec.tensors) ForEachName(recipe, rename);
  const std::set<std::string> ignored = spec.ignored;
  for (const std::string& name : ignored) {
    for (const OtherName& other : spec.other_names) {
      const std::string renamed = Renamed(name, other);
      if (!renamed.empty()) spec.ignored.insert(renamed);
    }
  }
}

// Some checkpoints leave out what the names of the base model's tensors begin with.
void DropPrefix(const Checkpoint& checkpoint, DecoderSpec& spec) {
  const auto has_prefix = [&](const std::string& name) {
    return !spec.prefix.empty() && name.compare(0, spec.prefix.size(), spec.prefix) == 0;
  };
  for (const auto& [name, entry] : checkpoint.tensors()) {
    if (has_prefix(name)) return;
  }
  const auto dropped = [&](const std::string& name) {
    return has_prefix(name) ? name.substr(spec.prefix.size()) : name;
  };
  for (TensorRecipe& recipe : spec.tensors) {
    ForEachName(recipe, [&](std::string& name) { name = dropped(name); });
  }
  std::set<std::string> ignored;
  for (const std::string& name : spec.ignored) ignored.insert(dropped(name));
  spec.ignored = std::move(ignored);
}

// Takes of each recipe the form that the checkpoint holds.
void ChooseForms(const Checkpoint& checkpoint, DecoderSpec& spec) {
  const auto holds = [&](const TensorRecipe& recipe) {
    return std::ranges::all_of(recipe.parts, [&](const TensorRecipe::Part& part) {
      if (part.source.empty()) return true;
      const auto found = checkpoint.tensors().find(part.source);
      return found != checkpoint.tensors().end() && found->second.shape == recipe.SourceShape(part);
    });
  };
  for (TensorRecipe& recipe : spec.tensors) {
    for (const TensorRecipe::Form& form : recipe.others) {
      if (holds(recipe)) break;
      TensorRecipe other = recipe;
      other.parts = form.parts;
      other.transposed = form.transposed;
      if (!holds(other)) continue;
      recipe = std::move(other);
      break;
    }
    recipe.others.clear();
  }
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

// With spec.head_may_be_tied: the head is the embedding if the checkpoint has none.
void TieHead(const Checkpoint& checkpoint, DecoderSpec& spec) {
  const TensorRecipe& head = spec.tensors[spec.head.weight];
  const bool is_last = spec.head.weight + 1 == spec.tensors.size();  // it has no bias
  if (!spec.head_may_be_tied || !is_last) return;
  if (checkpoint.tensors().contains(head.parts.front().source)) return;
  spec.tensors.pop_back();
  spec.head.weight = spec.embedding;
}

// With spec.tied_head: the head is the checkpoint's own where that is there and is not the
// embedding, whatever the config says. Other tensors of that name are left out.
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

// What a tensor's name begins with that is left out; empty: it is not.
std::string LeftOut(const DecoderSpec& spec, const std::string& name) {
  for (const std::string& begin : spec.left_out) {
    if (name.compare(0, begin.size(), begin) == 0) return begin;
  }
  return "";
}

std::string LeftOutFact(const Checkpoint& checkpoint, const DecoderSpec& spec) {
  std::map<std::string, size_t> tensors;
  for (const auto& [name, entry] : checkpoint.tensors()) {
    const std::string begin = LeftOut(spec, name);
    if (!begin.empty()) ++tensors[begin];
  }
  std::string fact;
  for (const auto& [begin, n] : tensors) {
    fact += (fact.empty() ? "" : "; ") + begin + "* (" + std::to_string(n) + " tensors)";
  }
  return fact;
}

// Whether it is a bias of zeros beside a matrix that is read: older quantisers wrote one beside
// each, and with or without it the model is the same.
bool IsZeroBias(const Checkpoint& checkpoint, const std::string& name,
                const std::set<std::string>& needed) {
  constexpr const char* kEnd = ".bias";
  if (!name.ends_with(kEnd) || !IsFloat(checkpoint.tensors().at(name)) ||
      needed.count(name.substr(0, name.size() - std::strlen(kEnd)) + ".weight") == 0) {
    return false;
  }
  std::vector<float> values(static_cast<size_t>(checkpoint.tensors().at(name).elements()));
  checkpoint.Read(name, 0, values);
  return std::ranges::all_of(values, [](float value) { return value == 0; });
}

// Every tensor that the spec asks for is there in the right shape, and no other is that would make
// another model. Returns the bytes of all that is read.
uint64_t CheckTensors(const Checkpoint& checkpoint, const DecoderSpec& spec,
                      std::vector<std::string>& notes) {
  std::set<std::string> needed = spec.ignored;
  uint64_t bytes = 0;
  for (const TensorRecipe& recipe : spec.tensors) {
    for (const TensorRecipe::Part& part : recipe.parts) {
      if (part.source.empty()) continue;
      const Checkpoint::Entry& entry = checkpoint.Find(part.source, recipe.SourceShape(part));
      bytes += entry.bytes / (entry.elements() / recipe.source_cols()) * part.rows;
    }
    if (recipe.factor) checkpoint.Find(recipe.factor->source, recipe.FactorShape());
    if (!recipe.row_scales.empty()) checkpoint.Find(recipe.row_scales, {recipe.rows()});
    ForEachName(recipe, [&](const std::string& name) { needed.insert(name); });
  }
  std::vector<std::string> zeros;
  for (const auto& [name, entry] : checkpoint.tensors()) {
    if (needed.count(name) > 0 || !LeftOut(spec, name).empty()) continue;
    if (!IsZeroBias(checkpoint, name, needed)) {
      Fail(entry.file, ": tensor ", name, " has no place in the ", spec.architecture,
           " that config.json describes");
    }
    zeros.push_back(name);
  }
  if (!zeros.empty()) {
    const size_t others = zeros.size() - 1;
    notes.push_back(checkpoint.tensors().at(zeros[0]).file + ": the bias " + zeros[0] +
                    (others > 0 ? " and " + std::to_string(others) + " more, for" : ", for") +
                    " which the " + spec.architecture +
                    " has no place, are zeros and left out: they change nothing");
  }
  return bytes;
}

}  // namespace

Fit FitToCheckpoint(const Checkpoint& checkpoint, DecoderSpec& spec,
                    std::vector<std::string>& notes) {
  TakeOtherNames(checkpoint, spec);
  if (!spec.embedder) TieHead(checkpoint, spec);
  DropPrefix(checkpoint, spec);
  ChooseForms(checkpoint, spec);
  UntieHead(checkpoint, spec, notes);
  return {.bytes = CheckTensors(checkpoint, spec, notes),
          .left_out = LeftOutFact(checkpoint, spec)};
}

}  // namespace rondo::convert
