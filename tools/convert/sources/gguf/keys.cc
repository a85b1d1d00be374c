#include "tools/convert/sources/gguf/keys.h"

#include "runtime/model/limits.h"
#include "tools/convert/fail.h"

namespace rondo::convert {

GgufKeys::GgufKeys(const GgufFile& file)
    : file_(file),
      all_(Config::Of(file.path() + ": key ", file.metadata())),
      architecture_(all_.Text("general.architecture", "")) {
  if (architecture_.empty()) all_.Refuse("general.architecture", "is missing");
}

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

std::string GgufKeys::Text(const std::string& key, const std::string& if_absent) const {
  return all_.Text(Name(key).c_str(), if_absent);
}

std::vector<uint64_t> GgufKeys::PerLayer(const std::string& key, uint64_t high) const {
  const auto found = file_.metadata().find(Name(key));
  if (found == file_.metadata().end() || !found->is_array()) {
    return std::vector<uint64_t>(n_layers(), Count(key, high));
  }
  if (found->size() != n_layers()) {
    Refuse(key, "has " + std::to_string(found->size()) + " elements, expected one for each of " +
                    std::to_string(n_layers()) + " layers");
  }
  std::vector<uint64_t> values;
  for (const nlohmann::json& value : *found) {
    const bool fits = value.is_number_integer() && value.get<int64_t>() >= 0 &&
                      static_cast<uint64_t>(value.get<int64_t>()) <= high;
    if (!fits) {
      Refuse(key,
             "holds " + value.dump() + ", expected integers from 0 to " + std::to_string(high));
    }
    values.push_back(value.get<uint64_t>());
  }
  return values;
}

void GgufKeys::Refuse(const std::string& key, const std::string& problem) const {
  all_.Refuse(Name(key).c_str(), problem);
}

uint64_t GgufKeys::n_layers() const { return Count("block_count", kMaxLayers); }
uint64_t GgufKeys::n_heads() const { return Count("attention.head_count", kMaxHeads); }

uint64_t GgufKeys::head_dim() const {
  if (Has("attention.key_length")) return Count("attention.key_length", kMaxHeadDim);
  const uint64_t hidden = Count("embedding_length", kMaxHidden);
  if (hidden % n_heads() != 0) {
    Refuse("embedding_length", "is " + std::to_string(hidden) + ", not a multiple of the " +
                                   std::to_string(n_heads()) + " heads");
  }
  return hidden / n_heads();
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
