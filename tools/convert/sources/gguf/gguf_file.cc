#include "tools/convert/sources/gguf/gguf_file.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/base/checked.h"
#include "runtime/model/limits.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/gguf/header_reader.h"
#include "tools/convert/sources/gguf/split_keys.h"
#include "tools/convert/sources/what_it_is.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

constexpr std::string_view kMagic = "GGUF";
constexpr uint64_t kMaxKeys = 1u << 16;
constexpr uint64_t kMaxNameBytes = 1u << 16;
constexpr uint64_t kMaxDimensions = 4;
constexpr uint64_t kMaxAlignment = 1u << 20;
constexpr uint64_t kDefaultAlignment = 32;
constexpr const char* kAlignmentKey = "general.alignment";
constexpr size_t kValuesPerRead = 1u << 16;  // a multiple of every block's

// The least bytes that an entry takes: a count that the file cannot hold is refused at once.
constexpr uint64_t kMinKeyBytes = 8 + 1 + 4 + 1;
constexpr uint64_t kMinTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;

void CheckMagicAndVersion(HeaderReader& in) {
  if (in.Bytes(kMagic.size(), "the magic number") != kMagic) {
    Fail(in.path(), " does not begin with GGUF");
  }
  const auto version = in.Number<uint32_t>("the version");
  if (version != 0 && (version & 0xffff) == 0) {
    Fail(in.path(), " is a big-endian GGUF file; only little-endian ones can be read");
  }
  if (version != 2 && version != 3) {
    Fail(in.path(), " is GGUF version ", version, "; known: 2 and 3");
  }
}

uint64_t Count(HeaderReader& in, const char* what, uint64_t limit, uint64_t min_bytes) {
  const auto count = in.Number<uint64_t>(what);
  if (count > limit || count > in.remaining() / min_bytes) {
    Fail(in.path(), ": ", what, " is ", count, ", more than the file can hold or than the limit, ",
         limit, count > limit ? "" : CutShortAdvice(in.path()));
  }
  return count;
}

json ReadKeys(HeaderReader& in, uint64_t count) {
  json keys = json::object();
  for (uint64_t i = 0; i < count; ++i) {
    const std::string key = in.StringBytes("the name of key " + std::to_string(i), kMaxNameBytes);
    if (!IsUtf8(key)) {  // nobody reads it
      in.Value("the value of key " + std::to_string(i));
      continue;
    }
    const std::string where = "key " + key;
    if (key.empty()) Fail(in.path(), ": the name of key ", i, " is empty");
    if (keys.contains(key)) Fail(in.path(), ": ", where, " is there twice");
    keys[key] = in.Value(where);
  }
  return keys;
}

uint64_t Alignment(const std::string& path, const json& metadata) {
  const auto found = metadata.find(kAlignmentKey);
  if (found == metadata.end()) return kDefaultAlignment;
  const uint64_t alignment = found->is_number_unsigned() ? found->get<uint64_t>() : 0;
  if (!std::has_single_bit(alignment) || alignment < 8 || alignment > kMaxAlignment) {
    Fail(path, ": key ", kAlignmentKey, " is ", found->dump(),
         ", expected a power of two from 8 to ", kMaxAlignment);
  }
  return alignment;
}

// `begin` is still the offset from the start of the data.
GgufFile::Tensor ReadTensor(HeaderReader& in, const std::string& where) {
  const auto n_dimensions = in.Number<uint32_t>(where + ": the number of dimensions");
  if (n_dimensions == 0 || n_dimensions > kMaxDimensions) {
    Fail(in.path(), ": ", where, " has ", n_dimensions, " dimensions, expected 1 to ",
         kMaxDimensions);
  }
  GgufFile::Tensor tensor;
  CheckedSize elements = 1;
  for (uint32_t i = 0; i < n_dimensions; ++i) {
    const auto size = in.Number<uint64_t>(where + ": dimension " + std::to_string(i));
    if (size == 0) Fail(in.path(), ": ", where, ": dimension ", i, " is 0");
    elements = elements * size;
    tensor.shape.insert(tensor.shape.begin(), size);
  }
  const auto type = in.Number<uint32_t>(where + ": the type");
  tensor.type = FindBlockType(type);
  if (tensor.type == nullptr) {
    Fail(in.path(), ": ", where, " is of type ", BlockTypeName(type),
         ", which cannot be read; known: ", KnownBlockTypes());
  }
  if (tensor.shape.back() % tensor.type->values != 0) {
    Fail(in.path(), ": ", where, " has rows of ", tensor.shape.back(),
         " values, which are no whole ", "blocks of ", tensor.type->name, ", ", tensor.type->values,
         " values each");
  }
  // In this order nothing is lost to rounding: rows are whole blocks.
  const CheckedSize bytes =
      elements.valid() ? CheckedSize(elements.value() / tensor.type->values) * tensor.type->bytes
                       : elements;
  if (!bytes.valid()) Fail(in.path(), ": ", where, " is too large: its dimensions overflow");
  tensor.bytes = bytes.value();
  tensor.begin = in.Number<uint64_t>(where + ": the offset");
  return tensor;
}

std::map<std::string, GgufFile::Tensor> ReadTensors(HeaderReader& in, uint64_t count) {
  std::map<std::string, GgufFile::Tensor> tensors;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string name = in.String("the name of tensor " + std::to_string(i), kMaxNameBytes);
    if (name.empty()) Fail(in.path(), ": the name of tensor ", i, " is empty");
    const auto [place, is_new] = tensors.try_emplace(name, ReadTensor(in, "tensor " + name));
    if (!is_new) Fail(in.path(), ": tensor ", name, " is there twice");
  }
  return tensors;
}

// From offsets in the data to offsets in the file, all of which must lie in it.
void PlaceTensors(const std::string& path, std::map<std::string, GgufFile::Tensor>& tensors,
                  uint64_t header_bytes, uint64_t file_bytes, uint64_t alignment) {
  const uint64_t data_begin = CheckedSize(header_bytes).AlignUp(alignment).value();
  for (auto& [name, tensor] : tensors) {
    const CheckedSize begin = CheckedSize(data_begin) + tensor.begin;
    const CheckedSize end = begin + tensor.bytes;
    if (tensor.begin % alignment != 0) {
      Fail(path, ": tensor ", name, ": its offset, ", tensor.begin, ", is not a multiple of ",
           alignment, ", the alignment");
    }
    if (!end.valid() || end.value() > file_bytes) {
      Fail(path, ": tensor ", name, ": its ", tensor.bytes, " bytes from offset ", tensor.begin,
           " of the data do not lie in the file, which has ", file_bytes, " bytes",
           CutShortAdvice(path));
    }
    tensor.begin = begin.value();
  }
}

void CheckOverlaps(const std::string& path,
                   const std::map<std::string, GgufFile::Tensor>& tensors) {
  std::vector<const std::pair<const std::string, GgufFile::Tensor>*> order;
  for (const auto& item : tensors) order.push_back(&item);
  std::sort(order.begin(), order.end(),
            [](const auto* a, const auto* b) { return a->second.begin < b->second.begin; });
  for (size_t i = 1; i < order.size(); ++i) {
    const auto& [name, tensor] = *order[i - 1];
    if (tensor.begin + tensor.bytes > order[i]->second.begin) {
      Fail(path, ": tensors ", name, " and ", order[i]->first, " overlap");
    }
  }
}

}  // namespace

bool GgufFile::IsGguf(const std::filesystem::path& path) {
  const InputFile file(path);
  std::string magic(kMagic.size(), '\0');
  if (file.bytes() < magic.size()) return false;
  file.Read(0, {reinterpret_cast<uint8_t*>(magic.data()), magic.size()});
  return magic == kMagic;
}

GgufFile::GgufFile(const std::filesystem::path& path) {
  metadata_ = AddPart(path);
  const SplitKeys split = SplitKeys::Read(this->path(), metadata_);
  if (split.number != 0) {
    Fail(this->path(), " is part ", split.number + 1, " of ", split.count,
         " of a model; name the first one, which finds the others");
  }
  for (uint64_t number = 1; number < split.count; ++number) {
    const std::filesystem::path part = PartPath(path, number, split.count);
    if (!std::filesystem::exists(part)) {
      Fail(this->path(), " is the first of ", split.count, " parts, but ", part.filename().string(),
           " is not beside it");
    }
    CheckPart(part.string(), number, AddPart(part), split, metadata_);
  }
  if (split.count > 1 && tensors_.size() != split.n_tensors) {
    Fail(this->path(), ": the ", split.count, " parts hold ", tensors_.size(),
         " tensors, key split.tensors.count says ", split.n_tensors);
  }
}

json GgufFile::AddPart(const std::filesystem::path& path) {
  const InputFile& file = files_.emplace_back(path);
  HeaderReader in(file);
  CheckMagicAndVersion(in);
  const uint64_t n_tensors =
      Count(in, "the number of tensors", kMaxTensors - tensors_.size(), kMinTensorBytes);
  const uint64_t n_keys = Count(in, "the number of keys", kMaxKeys, kMinKeyBytes);
  json metadata = ReadKeys(in, n_keys);
  std::map<std::string, Tensor> tensors = ReadTensors(in, n_tensors);
  PlaceTensors(file.path(), tensors, in.offset(), file.bytes(), Alignment(file.path(), metadata));
  CheckOverlaps(file.path(), tensors);
  for (auto& [name, tensor] : tensors) {
    tensor.part = files_.size() - 1;
    const auto [place, is_new] = tensors_.try_emplace(name, std::move(tensor));
    if (!is_new) Fail(file.path(), ": tensor ", name, " is also in ", PathOf(place->second));
  }
  return metadata;
}

void GgufFile::ReadBlocks(const Tensor& tensor, uint64_t first, std::span<uint8_t> out) const {
  files_[tensor.part].Read(tensor.begin + first / tensor.type->values * tensor.type->bytes, out);
}

void GgufFile::Read(const std::string& name, const Tensor& tensor, uint64_t first,
                    std::span<float> out) const {
  const BlockType& type = *tensor.type;
  std::vector<uint8_t> blocks;
  std::vector<float> values;
  for (size_t done = 0; done < out.size();) {
    // Whole blocks, of which the first and the last may be needed in part.
    const size_t skipped = (first + done) % type.values;
    const size_t n = std::min(out.size() - done, kValuesPerRead - skipped);
    const size_t n_blocks = CeilDiv(skipped + n, type.values);
    blocks.resize(n_blocks * type.bytes);
    values.resize(n_blocks * type.values);
    ReadBlocks(tensor, first + done, blocks);
    type.dequantize(blocks.data(), n_blocks, values.data());
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(skipped), n, out.begin() + done);
    done += n;
  }
  const bool is_scalar = tensor.elements() == 1;
  const auto bad = std::find_if(out.begin(), out.end(), [&](float x) {
    return is_scalar ? std::isnan(x) : !std::isfinite(x);
  });
  if (bad != out.end()) {
    Fail(PathOf(tensor), ": tensor ", name, " holds ", *bad, " at index ",
         first + static_cast<uint64_t>(bad - out.begin()), ", expected finite weights");
  }
}

}  // namespace rondo::convert
