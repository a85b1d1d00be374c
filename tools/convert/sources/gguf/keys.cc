#include "tools/convert/sources/gguf/keys.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/model/limits.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

// That no logit of a text hangs on: what files say of themselves, pooling for embeddings, sections
// of positions for pictures, where one of text is the same in all; and sizes that the tensors'
// shapes would contradict.
constexpr std::array kOfNoWeight = {
    "vocab_size",
    "tensor_data_layout",
    "rope.scaling.finetuned",
    "pooling_type",
    "rope.dimension_sections",
    "mm.tokens_per_image",
    "n_deepstack_layers",
    "embedding_length_out",
    "expert_feed_forward_length",
    "expert_shared_feed_forward_length",
    "expert_shared_count",
};

}  // namespace

GgufKeys::GgufKeys(const GgufFile& file)
    : file_(file),
      all_(Config::Of(file.path() + ": key ", file.metadata())),
      architecture_(all_.Text("general.architecture", "")) {
  if (architecture_.empty()) all_.Refuse("general.architecture", "is missing");
}

GgufKeys::GgufKeys(const GgufFile& file, std::string begin)
    : file_(file),
      all_(Config::Of(file.path() + ": key ", file.metadata())),
      architecture_(std::move(begin)) {}

uint64_t GgufKeys::Count(const std::string& key, uint64_t high) const {
  return all_.Integer(Name(key).c_str(), 1, high);
}

uint64_t GgufKeys::Count(const std::string& key, uint64_t high, uint64_t if_absent) const {
  return all_.Integer(Name(key).c_str(), 0, high, if_absent);
}

double GgufKeys::Number(const std::string& key, double if_absent) const {
  return all_.Number(Name(key).c_str(), if_absent);
}

bool GgufKeys::Flag(const std::string& key, bool if_absent) const {
  return all_.Flag(Name(key).c_str(), if_absent);
}

double GgufKeys::NumberOrAssumed(const std::string& key, double assumed) const {
  if (Has(key)) return Number(key);
  std::ostringstream text;
  text << assumed;
  NoteAssumed(key, text.str());
  return assumed;
}

void GgufKeys::NoteAssumed(const std::string& key, const std::string& assumed) const {
  assumed_.emplace(Name(key), assumed);
}

std::vector<std::string> GgufKeys::notes() const {
  std::vector<std::string> notes;
  const std::string where = file_.path() + ": key ";
  for (const auto& [key, assumed] : assumed_) {
    std::string& note = notes.emplace_back(where);
    note.append(key).append(" is missing: assumed ").append(assumed);
  }
  return notes;
}

std::string GgufKeys::Text(const std::string& key, const std::string& if_absent) const {
  return all_.Text(Name(key).c_str(), if_absent);
}

std::vector<uint64_t> GgufKeys::PerLayer(const std::string& key, uint64_t high) const {
  const auto found = file_.metadata().find(Name(key));
  if (found == file_.metadata().end() || !found->is_array()) {
    return std::vector<uint64_t>(n_layers(), Count(key, high));
  }
  const uint64_t n_blocks = Count("block_count", kMaxLayers);
  if (found->size() != n_blocks) {
    Refuse(key, "has " + std::to_string(found->size()) + " elements, expected one for each of " +
                    std::to_string(n_blocks) + " layers");
  }
  std::vector<uint64_t> values;
  for (const nlohmann::json& value : *found) {
    const int64_t number = value.is_boolean()          ? int64_t{value.get<bool>()}
                           : value.is_number_integer() ? value.get<int64_t>()
                                                       : -1;
    if (number < 0 || static_cast<uint64_t>(number) > high) {
      Refuse(key,
             "holds " + value.dump() + ", expected integers from 0 to " + std::to_string(high));
    }
    if (values.size() < n_layers()) values.push_back(static_cast<uint64_t>(number));
  }
  return values;
}

uint64_t GgufKeys::OfAnyLayer(const std::string& key, uint64_t high) const {
  uint64_t common = 0;
  for (const uint64_t value : PerLayer(key, high)) {
    if (value != 0 && common != 0 && value != common) Refuse(key, "differs between layers");
    common = std::max(common, value);
  }
  if (common == 0) Refuse(key, "is 0 in all layers");
  return common;
}

void GgufKeys::CheckAllRead() const {
  const std::string begin = architecture_ + ".";
  for (const auto& [name, value] : file_.metadata().items()) {
    if (!name.starts_with(begin) || read_.count(name) != 0) continue;
    const std::string key = name.substr(begin.size());
    if (std::ranges::find(kOfNoWeight, key) != kOfNoWeight.end()) continue;
    all_.Refuse(name.c_str(), "is not known for this model: it may change what it computes");
  }
}

std::string GgufKeys::Name(const std::string& key) const {
  return *read_.insert(architecture_ + "." + key).first;
}

void GgufKeys::Refuse(const std::string& key, const std::string& problem) const {
  all_.Refuse(Name(key).c_str(), problem);
}

uint64_t GgufKeys::n_layers() const {
  const char* const kBehind = "nextn_predict_layers";
  const uint64_t blocks = Count("block_count", kMaxLayers), behind = Count(kBehind, kMaxLayers, 0);
  if (behind >= blocks) Refuse(kBehind, "leaves none of block_count layers");
  return blocks - behind;
}

uint64_t GgufKeys::n_heads() const { return OfAnyLayer("attention.head_count", kMaxHeads); }

uint64_t GgufKeys::n_kv_heads() const {
  const char* const kKey = "attention.head_count_kv";
  return Has(kKey) ? OfAnyLayer(kKey, kMaxHeads) : n_heads();
}

uint64_t GgufKeys::head_dim() const {
  if (Has("attention.kv_lora_rank")) return Count("rope.dimension_count", kMaxHeadDim);
  if (Has("attention.key_length")) return Count("attention.key_length", kMaxHeadDim);
  const uint64_t hidden = Count("embedding_length", kMaxHidden);
  if (hidden % n_heads() != 0) {
    Refuse("embedding_length", "is " + std::to_string(hidden) + ", not a multiple of the " +
                                   std::to_string(n_heads()) + " heads");
  }
  return hidden / n_heads();
}

bool GgufKeys::HasInSomeLayer(const std::string& name) const {
  for (uint64_t i = 0; i < n_layers(); ++i) {
    std::string whole = "blk.";
    whole.append(std::to_string(i)).append(".").append(name);
    if (HasTensor(whole)) return true;
  }
  return false;
}

std::vector<float> GgufKeys::Values(const std::string& tensor, uint64_t limit) const {
  const GgufFile::Tensor& found = file_.tensors().at(tensor);
  if (found.elements() > limit) {
    Fail(file_.path(), ": tensor ", tensor, " has ", found.elements(), " values, expected at most ",
         limit);
  }
  std::vector<float> values(static_cast<size_t>(found.elements()));
  file_.Read(tensor, found, 0, values);
  return values;
}

}  // namespace rondo::convert
