// ClassifierOf: a reranker of random weights with a head of one number.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace rondo::convert {

// BertForSequenceClassification, of 97 tokens, 64 positions and 32 channels, which reads '!' to '}'
// as tokens 3 to 95, a space as 96, and both texts between [CLS] (1) and [SEP] (2).
nlohmann::json BertClassifier();
// ModernBertForSequenceClassification, likewise: the mean of all tokens, and a head with a norm.
nlohmann::json ModernBertClassifier();

// The folder of one of these, with what `config` has changed.
void WriteClassifierOf(const std::filesystem::path& directory, const nlohmann::json& config);

}  // namespace rondo::convert
