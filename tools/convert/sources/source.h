// Source: what the converter reads a model from, a Hugging Face folder or a GGUF file.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/convert/chat_template.h"
#include "tools/convert/sources/checkpoint.h"
#include "tools/convert/sources/config.h"

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
  nlohmann::json tokenizer;    // in the form of tokenizer.json; null where there is none
  std::string tokenizer_file;  // for messages
  ChatSource chat;             // empty where there is none
  std::vector<std::string> notes;
};

// By what `path` is. Throws Error.
Source OpenSource(const std::filesystem::path& path);

}  // namespace rondo::convert
