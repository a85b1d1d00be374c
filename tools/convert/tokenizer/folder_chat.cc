#include "tools/convert/tokenizer/folder_chat.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/model/limits.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/checkpoint_files.h"
#include "tools/convert/sources/input_file.h"
#include "tools/convert/sources/json_text.h"
#include "tools/convert/sources/what_it_is.h"
#include "tools/convert/tokenizer/folder.h"
#include "tools/convert/tokenizer/tokenizer_class.h"
#include "tools/convert/tokenizer/tokenizer_config.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr uint64_t kMaxJsonBytes = 64u << 20;
constexpr const char* kDefault = "default";

json LoadObject(const fs::path& path) {
  return ParseJsonObject(ReadWholeFile(path, kMaxJsonBytes), path.string());
}

std::string ReadTemplateFile(const fs::path& path) {
  std::string text = ReadWholeFile(path, kMaxTemplateBytes);
  RefuseWebPage(text, path);
  return text;
}

void Put(NamedTexts& texts, const std::string& name, const std::string& text) {
  const auto same = std::find_if(texts.begin(), texts.end(),
                                 [&](const auto& entry) { return entry.first == name; });
  if (same == texts.end()) {
    texts.emplace_back(name, text);
  } else {
    same->second = text;
  }
}

// The key chat_template: one text, or a list of {"name", "template"}.
void ReadTemplates(const json& object, const fs::path& path, NamedTexts& templates) {
  const auto found = object.find("chat_template");
  if (found == object.end() || found->is_null()) return;
  if (found->is_string()) return Put(templates, kDefault, found->get<std::string>());
  if (!found->is_array()) {
    Fail(path.string(), ": key chat_template is neither a text nor a list of named texts");
  }
  for (const json& entry : *found) {
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string() ||
        !entry.contains("template") || !entry["template"].is_string()) {
      Fail(path.string(), ": key chat_template has an entry without a name or without a template");
    }
    Put(templates, entry["name"].get<std::string>(), entry["template"].get<std::string>());
  }
}

// A special token: its text, or an object that holds it.
void PutToken(const std::string& name, const json& value, NamedTexts& tokens) {
  if (value.is_string()) return Put(tokens, name, value.get<std::string>());
  if (!value.is_object()) return;
  const auto content = value.find("content");
  if (content != value.end() && content->is_string()) {
    Put(tokens, name, content->get<std::string>());
  }
}

void ReadTokens(const json& object, NamedTexts& tokens) {
  for (const char* name : {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token",
                           "cls_token", "mask_token"}) {
    if (const auto found = object.find(name); found != object.end()) {
      PutToken(name, *found, tokens);
    }
  }
  const auto extra = object.find("extra_special_tokens");  // names of the model's own
  if (extra == object.end() || !extra->is_object()) return;
  for (const auto& [name, value] : extra->items()) PutToken(name, value, tokens);
}

// Those that the folder does not name and the class of its tokenizer has.
void ReadDefaultTokens(const fs::path& directory, NamedTexts& tokens) {
  const TokenizerConfig config(directory);
  const TokenizerClass of = ClassOf(config);
  for (const char* key : {"bos_token", "eos_token", "unk_token", "pad_token"}) {
    const char* text = DefaultToken(of, key);
    if (text != nullptr && !config.Has(key)) Put(tokens, key, text);
  }
}

}  // namespace

ChatSource ReadFolderChat(const fs::path& directory) {
  ChatSource source;
  // From the weakest place to the strongest.
  for (const char* name : {"special_tokens_map.json", "tokenizer_config.json"}) {
    const fs::path path = directory / name;
    if (!fs::exists(path)) continue;
    const json object = LoadObject(path);
    ReadTokens(object, source.tokens);
    ReadTemplates(object, path, source.templates);
  }
  if (!FindTokenizer(directory).empty()) ReadDefaultTokens(directory, source.tokens);
  if (const fs::path path = directory / "chat_template.json"; fs::exists(path)) {
    ReadTemplates(LoadObject(path), path, source.templates);
  }
  for (const std::string& file : FindTemplates(DiskFolder(directory))) {
    const fs::path path = directory / file;
    const bool is_own = file.find('/') == std::string::npos;
    Put(source.templates, is_own ? kDefault : path.stem().string(), ReadTemplateFile(path));
  }
  std::stable_partition(source.templates.begin(), source.templates.end(),
                        [](const auto& entry) { return entry.first == kDefault; });
  return source;
}

}  // namespace rondo::convert
