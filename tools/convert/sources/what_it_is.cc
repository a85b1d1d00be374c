#include "tools/convert/sources/what_it_is.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <regex>
#include <vector>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/input_file.h"
#include "tools/convert/sources/mmproj_name.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPyTorch =
    "holds weights as PyTorch pickles them, which is a program to run: load them there and save "
    "them with save_pretrained(), which writes safetensors";

constexpr const char* kLlama2C =
    "holds weights of llama2.c, which do not say what they are: export its checkpoint with "
    "llama2.c's `export.py --version -1`, which writes a Hugging Face folder";
constexpr const char* kWebPage =
    "is a web page, not the file itself: the download was answered by one";
constexpr size_t kBeginBytes = 256;

struct Beginning {
  std::string_view bytes;
  const char* what;
};
constexpr Beginning kBeginnings[] = {
    {"PK\3\4", "is a ZIP archive: unpack it"},
    {"\x80\2", kPyTorch},
    {"\x80\4", kPyTorch},
    {"\x1f\x8b", "is compressed by gzip: unpack it"},
    {"\x28\xb5\x2f\xfd", "is compressed by zstd: unpack it"},
    {"\xfd"
     "7zXZ",
     "is compressed by xz: unpack it"},
    {"7z\xbc\xaf", "is a 7z archive: unpack it"},
    {"\x89HDF", "holds weights of Keras (HDF5): save them as safetensors"},
    {"lmgg", "is a GGML file, of before GGUF: get the model as GGUF or safetensors"},
    {"fmgg", "is a GGML file, of before GGUF: get the model as GGUF or safetensors"},
    {"tjgg", "is a GGML file, of before GGUF: get the model as GGUF or safetensors"},
    {"algg", "is a LoRA adapter of GGML: merge it into its base first"},
    {"%PDF", "is a PDF document"},
};

std::string Begin(const fs::path& path) {
  const InputFile file(path);
  std::string bytes(static_cast<size_t>(std::min<uint64_t>(file.bytes(), kBeginBytes)), '\0');
  file.Read(0, {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
  return bytes;
}

// A header's length, then the JSON that it is of.
bool IsSafetensors(const std::string& begin) {
  uint64_t bytes = 0;
  if (begin.size() <= sizeof bytes) return false;
  std::memcpy(&bytes, begin.data(), sizeof bytes);
  return bytes < (uint64_t{1} << 30) && begin[sizeof bytes] == '{';
}

// PyTorch's archive: a ZIP whose first file is the pickle, as ARCHIVE/data.pkl.
bool IsPyTorchZip(const std::string& begin) {
  constexpr size_t kNameBytes = 26, kName = 30;  // places in a file's header
  if (!begin.starts_with("PK\3\4") || begin.size() < kName) return false;
  uint16_t bytes = 0;
  std::memcpy(&bytes, &begin[kNameBytes], sizeof bytes);
  return std::string_view{begin}.substr(kName, bytes).ends_with("/data.pkl");
}

bool IsNamedAsPyTorch(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".pt" || extension == ".pth" || extension == ".ckpt" ||
         (extension == ".bin" && path.filename().string().starts_with("pytorch_model"));
}

// Its magic number, or, in its first files, nothing but the sizes of a transformer: width, of MLPs,
// layers, heads, those of keys, vocabulary (below 0: the head is its own), context.
bool IsLlama2C(const std::string& begin) {
  if (begin.starts_with("24ka")) return true;
  int32_t sizes[7] = {};
  if (begin.size() < sizeof sizes) return false;
  std::memcpy(sizes, begin.data(), sizeof sizes);
  const auto [width, mlp, layers, heads, kv_heads, vocab, context] = sizes;
  const auto is = [](int32_t size, int32_t most) { return size > 0 && size <= most; };
  return is(width, 1 << 16) && is(mlp, 1 << 20) && is(layers, 1 << 10) && is(heads, 1 << 10) &&
         is(kv_heads, heads) && width % heads == 0 && heads % kv_heads == 0 && vocab != 0 &&
         is(std::abs(vocab), 1 << 22) && is(context, 1 << 24);
}

bool IsWebPage(std::string_view text) {
  static const std::regex page(R"((\xef\xbb\xbf)?\s*<(!doctype html|html[\s>]))",
                               std::regex::icase);
  const std::string beginning(text.substr(0, kBeginBytes));
  return std::regex_search(beginning, page, std::regex_constants::match_continuous);
}

// By the names that split(1), browsers and hubs' clients give.
bool IsNamedAsPart(const std::string& name) {
  static const std::regex part(
      R"(.*(\.part[-_.]?[0-9]+(of[0-9]+)?|-split-[a-z]+|\.(x[a-z][a-z]|a[a-z]|[0-9]{2,3}|part|partial|incomplete|crdownload|download|aria2)))",
      std::regex::icase);
  return std::regex_match(name, part);
}

// The first, by name, of the files that `is` names.
template <typename Is>
std::optional<std::string> FindFile(const fs::path& folder, const Is& is) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory(error) && is(name)) names.push_back(name);
  }
  if (names.empty()) return std::nullopt;
  return *std::ranges::min_element(names);
}

std::optional<std::string> FindEnding(const fs::path& folder,
                                      std::initializer_list<std::string_view> endings) {
  return FindFile(folder, [&](const std::string& name) {
    return std::ranges::any_of(endings, [&](auto ending) { return name.ends_with(ending); });
  });
}

std::optional<std::string> FindFolderWithConfig(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (fs::exists(entry.path() / "config.json", error)) names.push_back(entry.path().string());
  }
  if (names.empty()) return std::nullopt;
  return *std::ranges::min_element(names);
}

}  // namespace

void RefuseWebPage(std::string_view text, const fs::path& path) {
  if (IsWebPage(text)) Fail(path.string(), " ", kWebPage);
}

std::string CutShortAdvice(const fs::path& path) {
  const std::string name = path.filename().string();
  std::error_code error;
  if (fs::file_size(path, error) == 0) return ": it is empty: get it again";
  if (IsNamedAsPart(name)) {
    return ": by its name it is one part of a file: put all parts together, in order, as with "
           "`cat PART1 PART2 ... > FILE`";
  }
  return ": it is the beginning of a file only: finish the download, or, where it was cut into "
         "parts, put them together in order (`cat PART1 PART2 ... > FILE`)";
}

std::string WhatFileIs(const fs::path& path, const std::string& unknown) {
  const std::string begin = Begin(path), name = path.filename().string();
  if (begin.empty()) return "is empty";
  if (begin.starts_with("RNDO")) return "is a Rondo file already: `rondo run` takes it as it is";
  if (IsSafetensors(begin)) {
    return "is one file of a checkpoint: name the folder, which must hold config.json and the "
           "tokenizer, too";
  }
  if (IsNamedAsPart(name)) {
    return "is by its name one part of a file: put all parts together, in order, as with `cat "
           "PART1 PART2 ... > FILE`";
  }
  if (IsWebPage(begin)) return kWebPage;
  if (IsPyTorchZip(begin) || IsNamedAsPyTorch(path)) return kPyTorch;
  for (const auto& [bytes, what] : kBeginnings) {
    if (begin.starts_with(bytes)) return what;
  }
  if (path.extension() == ".bin" && IsLlama2C(begin)) return kLlama2C;
  if (path.extension() == ".json" || path.extension() == ".model") {
    return "is one file of a checkpoint: name the folder";
  }
  if (path.extension() == ".onnx") return "is an ONNX model: get it as safetensors or GGUF";
  if (path.extension() == ".gguf") {
    return "does not begin as a GGUF file: download it again; if it is a further part of one that "
           "was cut, put the parts together in order";
  }
  return unknown;
}

std::string WhatFolderIs(const fs::path& path, const std::string& missing) {
  const auto has = [&](const char* name) { return fs::exists(path / name); };
  if (has("adapter_config.json")) {
    return "is a LoRA adapter, not a model: `rondo convert` makes it a file for a model with "
           "--adapter-for MODEL.rondo, or adds it to its base's weights with --merge";
  }
  auto gguf = FindFile(
      path, [](const std::string& name) { return name.ends_with(".gguf") && !IsMmprojName(name); });
  if (!gguf) gguf = FindEnding(path, {".gguf"});
  if (gguf) return "holds a GGUF file: name that, as " + (path / *gguf).string();
  const auto rondo = FindEnding(path, {".rondo"});
  if (rondo) return "holds a Rondo file, which needs no conversion: " + (path / *rondo).string();
  const auto part = FindFile(path, IsNamedAsPart);
  if (part) return missing + "; " + *part + " is part of a download, which is not finished";
  if (has("model_index.json")) return "is a model for pictures (diffusers), not for text";
  if (has("params.json") && FindEnding(path, {".safetensors", ".pth"})) {
    return "is in its maker's own format (params.json): get the model in Hugging Face's, with "
           "config.json";
  }
  const auto shard =
      FindFile(path, [](const std::string& name) { return name.ends_with(".safetensors"); });
  if (shard && has("config.json")) {
    return missing + ", but " + *shard +
           ": the weights are in one file of the first name, or in several that the second lists";
  }
  const auto weights = FindEnding(path, {".bin", ".pt", ".pth", ".ckpt"});
  const std::string what = !shard && weights ? WhatFileIs(path / *weights, "") : "";
  if (!what.empty()) return missing + "; " + *weights + " " + what;
  if (!shard && FindEnding(path, {".h5", ".msgpack", ".onnx"})) {
    return missing + ": its weights are for another library; save them as safetensors";
  }
  const auto inner = FindFolderWithConfig(path);
  if (inner && !has("config.json")) return missing + "; " + *inner + " does: name that";
  std::error_code error;
  return fs::is_empty(path, error) ? missing + "; it is empty" : missing;
}

}  // namespace rondo::convert
