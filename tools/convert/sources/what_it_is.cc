#include "tools/convert/sources/what_it_is.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <regex>
#include <string_view>
#include <vector>

#include "tools/convert/sources/input_file.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPyTorch =
    "holds weights as PyTorch pickles them, which is a program to run: load them there and save "
    "them with save_pretrained(), which writes safetensors";

struct Beginning {
  std::string_view bytes;
  const char* what;
};
constexpr Beginning kBeginnings[] = {
    {"PK\3\4",
     "is a ZIP archive: unpack it; weights of PyTorch (.bin, .pt, .pth) are such, too, "
     "and must be saved as safetensors"},
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
    {"<!DOCTYPE", "is a web page, not the file itself: the download was answered by one"},
    {"<!doctype", "is a web page, not the file itself: the download was answered by one"},
    {"<html", "is a web page, not the file itself: the download was answered by one"},
    {"%PDF", "is a PDF document"},
};

std::string Begin(const fs::path& path) {
  const InputFile file(path);
  std::string bytes(static_cast<size_t>(std::min<uint64_t>(file.bytes(), 16)), '\0');
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

std::string CutShortAdvice(const fs::path& path) {
  const std::string name = path.filename().string();
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
  for (const auto& [bytes, what] : kBeginnings) {
    if (begin.starts_with(bytes)) return what;
  }
  if (path.extension() == ".bin" || path.extension() == ".pt" || path.extension() == ".pth") {
    return kPyTorch;
  }
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
    return "is a LoRA adapter, not a model: merge it into its base first (PEFT: "
           "merge_and_unload()) and save that";
  }
  const auto gguf = FindEnding(path, {".gguf"});
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
  if (!shard && FindEnding(path, {".bin", ".pt", ".pth", ".ckpt"})) return kPyTorch;
  if (!shard && FindEnding(path, {".h5", ".msgpack", ".onnx"})) {
    return missing + ": its weights are for another library; save them as safetensors";
  }
  const auto inner = FindFolderWithConfig(path);
  if (inner && !has("config.json")) return missing + "; " + *inner + " does: name that";
  std::error_code error;
  return fs::is_empty(path, error) ? missing + "; it is empty" : missing;
}

}  // namespace rondo::convert
