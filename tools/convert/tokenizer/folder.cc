#include "tools/convert/tokenizer/folder.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/checkpoint_files.h"
#include "tools/convert/sources/input_file.h"
#include "tools/convert/sources/json_text.h"
#include "tools/convert/sources/what_it_is.h"
#include "tools/convert/tokenizer/byte_pair.h"
#include "tools/convert/tokenizer/config_tokens.h"
#include "tools/convert/tokenizer/sentencepiece.h"
#include "tools/convert/tokenizer/tokenizer_class.h"
#include "tools/convert/tokenizer/tokenizer_config.h"
#include "tools/convert/tokenizer/vocab_and_merges.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxTokenizerBytes = 256u << 20;
// How many tokens Llama 3's tiktoken file has, which does not say what it is.
constexpr size_t kLlama3Tokens = 128000;

using Ids = std::unordered_map<std::string, uint32_t>;

// The ids of the tokens that stand before and behind a text, from "bos_token" and "eos_token".
void AddEnds(const TokenizerConfig& config, bool add_bos, bool add_eos, const Ids& ids,
             Surroundings& surroundings) {
  const auto put = [&](const char* key, std::vector<uint32_t>& place) {
    const std::string text = config.TokenText(key);
    const auto added = std::find_if(surroundings.added.begin(), surroundings.added.end(),
                                    [&](const AddedToken& token) { return token.text == text; });
    if (added != surroundings.added.end()) {
      place.push_back(added->id);
    } else if (const auto found = ids.find(text); found != ids.end()) {
      place.push_back(found->second);
    }
  };
  if (add_bos) put("bos_token", surroundings.before);
  if (add_eos) put("eos_token", surroundings.after);
}

FolderTokenizer ReadPieces(const std::string& bytes, const fs::path& path) {
  const TokenizerConfig config(path.parent_path());
  FolderTokenizer result;
  SentencePieceModel model = ReadSentencePiece(bytes, path.string());
  const bool llama = config.exists() && ClassOf(config) == TokenizerClass::kLlama;
  const bool legacy = config.Flag("legacy").value_or(!llama);
  model.prefix_first_only = !model.unigram && !legacy;
  if (const auto prefix = config.Flag("add_prefix_space"); prefix.has_value()) {
    model.add_dummy_prefix = *prefix;
  }
  Ids ids;
  for (uint32_t id = 0; id < model.pieces.size(); ++id) ids.emplace(model.pieces[id].text, id);

  Surroundings surroundings;
  surroundings.added = config.AddedTokens([&](const std::string& text) -> std::optional<uint32_t> {
    const auto found = ids.find(text);
    return found == ids.end() ? std::nullopt : std::optional(found->second);
  });
  // Llama's class has no normaliser: such a token is found in the text as it stands.
  for (AddedToken& token : surroundings.added) token.normalized &= !llama;
  if (config.exists()) {
    // What transformers' classes do that differ from Llama's.
    const bool t5 = config.tokenizer_class() == "T5Tokenizer";
    AddEnds(config, config.Flag("add_bos_token").value_or(!t5),
            config.Flag("add_eos_token").value_or(t5), ids, surroundings);
  } else {
    const auto bos = ids.find("<s>");
    const bool is_control =
        bos != ids.end() && model.pieces[bos->second].kind == PieceKind::kControl;
    if (is_control) surroundings.before.push_back(bos->second);
    result.notes.push_back("no tokenizer_config.json beside " + path.filename().string() +
                           ": assumed that a text begins with " +
                           (is_control ? "<s>" : "no special token") + " and ends without one");
  }
  result.document = SentencePieceJson(model, surroundings, path.string());
  return result;
}

// Llama 3's own special tokens, for its file without a tokenizer_config.json.
std::vector<AddedToken> Llama3Tokens() {
  std::vector<std::string> texts = {"<|begin_of_text|>",
                                    "<|end_of_text|>",
                                    "<|reserved_special_token_0|>",
                                    "<|reserved_special_token_1|>",
                                    "<|finetune_right_pad_id|>",
                                    "<|reserved_special_token_2|>",
                                    "<|start_header_id|>",
                                    "<|end_header_id|>",
                                    "<|eom_id|>",
                                    "<|eot_id|>",
                                    "<|python_tag|>"};
  for (int i = 3; texts.size() < 256; ++i) {
    texts.push_back("<|reserved_special_token_" + std::to_string(i) + "|>");
  }
  std::vector<AddedToken> tokens;
  for (std::string& text : texts) {
    AddedToken token;
    token.id = static_cast<uint32_t>(kLlama3Tokens + tokens.size());
    token.text = std::move(text);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

FolderTokenizer ReadRanks(const std::string& text, const fs::path& path) {
  const TokenizerConfig config(path.parent_path());
  FolderTokenizer result;
  BytePairModel model;
  model.tokens = ReadTiktoken(text, path.string());

  // The file has no split pattern: tokenizer_config.json, the name, or the size must tell.
  std::string family;
  const std::string stem = path.stem().string();
  if (const auto pattern = config.Text("pat_str"); pattern.has_value()) {
    model.pattern = *pattern;
  } else if (KnownPattern(stem).has_value()) {
    family = stem;
  } else if (stem == "qwen" || config.tokenizer_class() == "QWenTokenizer") {
    family = "qwen2";
    model.nfc = true;
  } else if (path.extension() == ".model" && model.tokens.size() == kLlama3Tokens) {
    family = "llama3";
  } else {
    Fail(path.string(), ": does not say how it splits text: expected pat_str in ",
         (path.parent_path() / "tokenizer_config.json").string(),
         ", or a file named gpt2, r50k_base, p50k_base, cl100k_base, o200k_base or qwen");
  }
  if (!family.empty()) {
    model.pattern = *KnownPattern(family);
    result.notes.push_back(path.filename().string() + " has no split pattern: assumed that of " +
                           family);
  }

  Ids ids;
  for (const BytePairModel::Token& token : model.tokens) ids.emplace(token.bytes, token.id);
  Surroundings surroundings;
  if (config.exists()) {
    surroundings.added =
        config.AddedTokens([](const std::string&) { return std::optional<uint32_t>(); });
    // What Llama 3's post-processor does, which its tokenizer_config.json does not say.
    AddEnds(config, config.Flag("add_bos_token").value_or(family == "llama3"),
            config.Flag("add_eos_token").value_or(false), ids, surroundings);
  } else if (family == "llama3") {
    surroundings.added = Llama3Tokens();
    surroundings.before.push_back(surroundings.added.front().id);
    result.notes.push_back("no tokenizer_config.json beside " + path.filename().string() +
                           ": assumed Llama 3's special tokens, and <|begin_of_text|> before a "
                           "text");
  } else {
    result.notes.push_back("no tokenizer_config.json beside " + path.filename().string() +
                           ": assumed that there are no special tokens");
  }
  result.document = BytePairJson(model, surroundings);
  return result;
}

// Text written byte by byte belongs to other classes, whatever the folder says.
bool IsByteLevel(const nlohmann::json& document) {
  return document.value("decoder", nlohmann::json()).dump().find("ByteLevel") != std::string::npos;
}

void FollowConfig(const fs::path& path, FolderTokenizer& result) {
  const TokenizerConfig config(path.parent_path());
  if (config.empty() || !result.document.is_object()) return;
  if (!result.document.contains("post_processor")) result.document["post_processor"] = nullptr;
  TokenizerClass of = ClassOf(config);
  // The other classes do what their files say.
  if (of != TokenizerClass::kLlama || IsByteLevel(result.document) ||
      JsonValue(result.document, path.string(), "").At("model").Find("type").json() != "BPE") {
    of = TokenizerClass::kFile;
  }
  PutPipeline(of, config, result.document);
  AddConfigTokens(of, config, path.string(), result.document, result.notes);
}

FolderTokenizer ReadVocab(const fs::path& path) {
  const TokenizerConfig config(path.parent_path());
  FolderTokenizer result;
  TokenizerClass of = ClassOf(config);
  if (of == TokenizerClass::kFile || of == TokenizerClass::kLlama) {
    of = TokenizerClass::kGpt2;
    result.notes.push_back(
        "vocab.json and merges.txt do not say how text is split: assumed that it is as in GPT-2");
  }
  result.document = VocabAndMergesJson(path, path.parent_path() / "merges.txt");
  PutPipeline(of, config, result.document);
  AddConfigTokens(of, config, path.string(), result.document, result.notes);
  return result;
}

}  // namespace

fs::path FindTokenizer(const fs::path& directory) {
  const std::string file = FindTokenizerFile(DiskFolder(directory));
  return file.empty() ? fs::path() : directory / file;
}

FolderTokenizer ReadFolderTokenizer(const fs::path& path) {
  if (path.filename() == "vocab.json") return ReadVocab(path);
  const std::string text = ReadWholeFile(path, kMaxTokenizerBytes);
  if (path.extension() != ".json") {
    RefuseWebPage(text, path);
    // A SentencePiece model begins with its first piece: field 1, whose key is a line feed. A
    // line of tiktoken's text begins with base64.
    const bool is_pieces = path.extension() == ".model" && (text.empty() || text[0] == '\n');
    return is_pieces ? ReadPieces(text, path) : ReadRanks(text, path);
  }
  FolderTokenizer result;
  result.document = ParseJson(text, path.string());
  if (result.document.is_null()) Fail(path.string(), " is null, expected a tokenizer");
  FollowConfig(path, result);
  return result;
}

}  // namespace rondo::convert
