// What the tool adds to rondo.hpp: names of files, bars, and what people can do about a failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "rondo/rondo.hpp"
#include "tools/common/error.h"

namespace rondo::tools {

// By these names, since some commands see the library's own classes, too.
using RONDO_HPP_ABI::Adapter;
using RONDO_HPP_ABI::Chat;
using RONDO_HPP_ABI::ChatParser;
using RONDO_HPP_ABI::ChatPart;
using RONDO_HPP_ABI::Engine;
using RONDO_HPP_ABI::EngineOptions;
using RONDO_HPP_ABI::Event;
using RONDO_HPP_ABI::Grammar;
using RONDO_HPP_ABI::GrammarOptions;
using RONDO_HPP_ABI::Ids;
using RONDO_HPP_ABI::Image;
using RONDO_HPP_ABI::ImageOptions;
using RONDO_HPP_ABI::Media;
using RONDO_HPP_ABI::Model;
using RONDO_HPP_ABI::Session;
using RONDO_HPP_ABI::SessionOptions;
using RONDO_HPP_ABI::View;

// Throws what the tool says of a failure of the library: Interrupted where a signal ended the call,
// OptionRefused where the sentence names an option that people can type, else Error with the
// sentence and what to do about it.
[[noreturn]] void Explain(const rondo::Error& error);

// What `work` gives; failures of the library are told as Explain has it.
template <typename Work>
std::invoke_result_t<Work> Explained(const Work& work) {
  try {
    return work();
  } catch (const rondo::Error& error) {
    Explain(error);
  }
}

// Each throws rondo::Error, or Error where it knows more to say.
Model OpenModel(const std::string& path);
// The same of one that predicts tokens: of those that make vectors of texts it says so.
Model OpenPredictor(const std::string& path);
// The fact's text; empty where the file does not have it.
std::string Fact(const Model& model, const std::string& key);
// What `name` gives of 0, 1 and so on: names that the library tells by number.
template <typename Name>
std::vector<std::string> AllNames(const Name& name) {
  std::vector<std::string> names;
  try {
    for (;;) names.push_back(name(static_cast<uint32_t>(names.size())));
  } catch (const rondo::Error& error) {
    if (error.status() != RONDO_STATUS_INVALID_ARGUMENT) throw;
    return names;
  }
}
std::vector<std::string> ChatTemplateNames(const Model& model);

std::vector<int32_t> Tokenize(const Model& model, std::string_view text, bool add_special);
// The tokens that the tokenizer puts around every text: a BOS, [CLS] and [SEP].
struct TokensAround {
  std::vector<int32_t> before, behind;
};
TokensAround FindTokensAround(const Model& model);

// With a bar while the weights are packed, where standard error is a terminal.
Engine CreateEngine(const Model& model, EngineOptions options);

// The model that drafts, which both options then say. `path` empty: none.
std::optional<Model> OpenDraft(const std::string& path, EngineOptions* engine,
                               SessionOptions* session);
// The adapter of sessions, for which both options then have room. `path` empty: none.
void UseAdapter(const std::string& path, const Model& model, EngineOptions* engine,
                SessionOptions* session);

}  // namespace rondo::tools
