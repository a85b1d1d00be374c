#include "tools/convert/tokenizer/config_tokens.h"

#include <algorithm>
#include <optional>

#include "runtime/text/tokenizer_tables.h"
#include "tools/convert/tokenizer/json_value.h"
#include "tools/convert/tokenizer/surroundings.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

// The tokens of a document, and the ids that new ones get.
class Tokens {
 public:
  Tokens(const json& document, const std::string& source) : root_(document, source, "") {
    const JsonValue vocab = root_.At("model").At("vocab");
    next_ = static_cast<uint32_t>(vocab.json().size());
    // Unigram's vocabulary is a list.
    if (vocab.json().is_array()) {
      uint32_t id = 0;
      for (const JsonValue& item : vocab.Items()) {
        ids_.emplace(item.Items().at(0).String(), id++);
      }
    } else {
      for (const auto& [text, id] : vocab.json().items()) {
        ids_.emplace(text,
                     JsonValue(id, source, "model.vocab['" + text + "']").Uint(kMaxVocabSize));
      }
    }
    const JsonValue added = root_.Find("added_tokens");
    if (added.IsNull()) return;
    for (const JsonValue& item : added.Items()) {
      AddedToken token = ParseAddedToken(item, false);
      token.id = item.At("id").Uint(kMaxVocabSize);
      next_ = std::max(next_, token.id + 1);
      tokens_.push_back(std::move(token));
    }
  }

  bool Has(const std::string& text) const { return Find(text) != tokens_.end(); }

  std::optional<uint32_t> IdOf(const std::string& text) const {
    if (const auto found = Find(text); found != tokens_.end()) return found->id;
    const auto found = ids_.find(text);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }

  // False: it would need an id of `limit` or above.
  bool Add(AddedToken token, uint32_t limit) {
    const std::optional<uint32_t> id = IdOf(token.text);
    token.id = id.value_or(next_);
    if (!id.has_value() && next_ >= limit) return false;
    next_ = std::max(next_, token.id + 1);
    const auto same = std::find_if(tokens_.begin(), tokens_.end(), [&](const AddedToken& other) {
      return other.text == token.text;
    });
    if (same == tokens_.end()) {
      tokens_.push_back(std::move(token));
    } else {
      *same = std::move(token);
    }
    return true;
  }

  const std::vector<AddedToken>& all() const { return tokens_; }

 private:
  std::vector<AddedToken>::const_iterator Find(const std::string& text) const {
    return std::find_if(tokens_.begin(), tokens_.end(),
                        [&](const AddedToken& token) { return token.text == text; });
  }

  JsonValue root_;
  std::unordered_map<std::string, uint32_t> ids_;
  std::vector<AddedToken> tokens_;
  uint32_t next_ = 0;
};

}  // namespace

void AddConfigTokens(TokenizerClass of, const TokenizerConfig& config, const std::string& source,
                     json& document, std::vector<std::string>& notes) {
  Tokens tokens(document, source);
  const uint32_t limit = config.vocab_size().value_or(kMaxVocabSize);
  for (const AddedToken& token : config.ListedTokens()) {
    if (tokens.Add(token, limit)) continue;
    notes.push_back("the tokenizer's token '" + token.text +
                    "' has no row in the model's embedding: it is read as plain text");
  }
  const auto named = [&](const std::string& key) {
    std::optional<AddedToken> token = config.NamedToken(key);
    const char* text = DefaultToken(of, key);
    if (!token.has_value() && !config.Has(key) && text != nullptr) {
      token.emplace();
      token->text = text;
    }
    return token;
  };
  for (const std::string& key : config.NamedKeys()) {
    const std::optional<AddedToken> token = named(key);
    if (token.has_value() && !tokens.Has(token->text)) tokens.Add(*token, limit);
  }
  for (const AddedToken& token : config.ExtraTokens()) {
    if (!tokens.Has(token.text)) tokens.Add(token, limit);
  }

  Surroundings around;
  around.added = tokens.all();
  // The class has no normaliser: such a token is found in the text as it stands.
  if (of == TokenizerClass::kLlama) {
    for (AddedToken& token : around.added) token.normalized = false;
  }
  const auto put = [&](const char* flag, const char* key, std::vector<uint32_t>& place) {
    const std::optional<AddedToken> token = named(key);
    if (!config.Flag(flag).value_or(false) || !token.has_value()) return;
    if (const auto id = tokens.IdOf(token->text); id.has_value()) place.push_back(*id);
  };
  // A tokenizer.json says itself what stands around a text, whatever the flags say.
  const bool says = document.contains("post_processor");
  if (!says) {
    put("add_bos_token", "bos_token", around.before);
    put("add_eos_token", "eos_token", around.after);
  }
  json processor = says ? document["post_processor"] : json();
  PutSurroundings(around, document);
  if (says) document["post_processor"] = std::move(processor);
}

}  // namespace rondo::convert
