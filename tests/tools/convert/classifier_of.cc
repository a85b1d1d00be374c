#include "tests/tools/convert/classifier_of.h"

#include <fstream>
#include <string>

#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

constexpr uint64_t kHidden = 32;

json AddedToken(int id, const char* text) {
  return {{"id", id},        {"content", text}, {"special", true},     {"normalized", false},
          {"lstrip", false}, {"rstrip", false}, {"single_word", false}};
}

json Special(const char* text, int type) {
  return {{"SpecialToken", {{"id", text}, {"type_id", type}}}};
}
json Text(const char* name, int type) { return {{"Sequence", {{"id", name}, {"type_id", type}}}}; }

// A space is the character that GPT-2 writes for it.
json Tokenizer() {
  json vocab = {{"[UNK]", 0}, {"[CLS]", 1}, {"[SEP]", 2}, {"\u0120", 96}};
  for (char c = '!'; c <= '}'; ++c) vocab[std::string(1, c)] = 3 + c - '!';
  json special = json::object();
  for (const auto& [text, id] : {std::pair("[CLS]", 1), {"[SEP]", 2}}) {
    special[text] = {{"id", text}, {"ids", {id}}, {"tokens", {text}}};
  }
  return {
      {"added_tokens", {AddedToken(0, "[UNK]"), AddedToken(1, "[CLS]"), AddedToken(2, "[SEP]")}},
      {"normalizer", nullptr},
      {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}},
      {"post_processor",
       {{"type", "TemplateProcessing"},
        {"single", {Special("[CLS]", 0), Text("A", 0), Special("[SEP]", 0)}},
        {"pair",
         {Special("[CLS]", 0), Text("A", 0), Special("[SEP]", 0), Text("B", 1),
          Special("[SEP]", 1)}},
        {"special_tokens", special}}},
      {"decoder", {{"type", "ByteLevel"}}},
      {"model", {{"type", "BPE"}, {"merges", json::array()}, {"vocab", vocab}}}};
}

json ClassifierConfig(const char* type, const char* name) {
  return {{"architectures", {name}}, {"model_type", type},       {"id2label", {{"0", "a"}}},
          {"vocab_size", 97},        {"hidden_size", kHidden},   {"intermediate_size", 48},
          {"num_hidden_layers", 2},  {"num_attention_heads", 4}, {"max_position_embeddings", 64}};
}

}  // namespace

json BertClassifier() { return ClassifierConfig("bert", "BertForSequenceClassification"); }

json ModernBertClassifier() {
  json config = ClassifierConfig("modernbert", "ModernBertForSequenceClassification");
  config["classifier_pooling"] = "mean";
  config["local_attention"] = 20;
  return config;
}

void WriteClassifierOf(const std::filesystem::path& directory, const json& config) {
  Shapes head = {{"classifier.weight", {1, kHidden}}, {"classifier.bias", {1}}};
  if (config.at("model_type") == "modernbert") {
    head["head.dense.weight"] = {kHidden, kHidden};
    head["head.norm.weight"] = {kHidden};
  } else {
    head["bert.pooler.dense.weight"] = {kHidden, kHidden};
    head["bert.pooler.dense.bias"] = {kHidden};
  }
  WriteCheckpointWith(directory, config.dump(), head);
  std::ofstream(directory / "tokenizer.json") << Tokenizer().dump();
}

}  // namespace rondo::convert
