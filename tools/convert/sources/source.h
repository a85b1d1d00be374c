// Source: what the converter reads a model from, a Hugging Face folder or a GGUF file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/convert/sources/checkpoint.h"
#include "tools/convert/sources/config.h"
#include "tools/convert/sources/gguf/gguf_rules.h"
#include "tools/convert/sources/gguf/mmproj.h"

namespace rondo::convert {

struct Source {
  Source(std::string model_name, Config model_config)
      : name(std::move(model_name)), config(std::move(model_config)), generation(config) {}

  std::string name;                   // of the model
  Config config;                      // in the form of config.json
  Config generation;                  // in the form of generation_config.json
  bool own_generation = false;        // it holds nothing else
  std::vector<Config> token_configs;  // where the tokens that begin and end a text are, best first
  std::shared_ptr<const Checkpoint> checkpoint;
  std::filesystem::path path;            // of the folder or the file
  std::shared_ptr<const GgufKeys> gguf;  // of the file; null: a folder
  std::vector<std::string> notes;
  std::optional<Mmproj> mmproj;  // what sees, out of a file beside that of `gguf`
};

// By what `path` is. Tokenizer and chat templates are left to tokenizer/source_text.h. Throws
// Error.
Source OpenSource(const std::filesystem::path& path, FindGgufRules find_rules);

// What sees for a text's model that is a GGUF file joins it: the file `named`, or where that is
// empty the one beside it, if there is one, which the notes tell. Throws Error.
void AddMmproj(const std::filesystem::path& named, FindMmprojRules find_rules, Source& source);

}  // namespace rondo::convert
