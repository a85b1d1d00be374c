#include "tools/convert/tokenizer/vocabulary.h"

#include <algorithm>
#include <tuple>

#include "runtime/text/tokenizer_tables.h"
#include "tools/convert/tokenizer/text.h"

namespace rondo::convert {
namespace {

void Put(Vocabulary& vocabulary, uint32_t id, const std::string& text, const JsonValue& where) {
  if (id >= vocabulary.texts.size()) vocabulary.texts.resize(size_t{id} + 1);
  std::optional<std::string>& slot = vocabulary.texts[id];
  if (slot.has_value() && *slot != text) {
    where.Fail("gives id " + std::to_string(id) + " to '" + text + "', which '" + *slot + "' has");
  }
  slot = text;
}

AddedTokenSpec ParseAdded(const JsonValue& item, const Pipeline& pipeline) {
  AddedTokenSpec token;
  token.id = item.At("id").Uint(kMaxVocabSize);
  token.text = item.At("content").String();
  token.special = item.At("special").Bool();
  token.normalized = item.At("normalized").Bool();
  token.strip_left = item.At("lstrip").Bool();
  token.strip_right = item.At("rstrip").Bool();
  token.single_word = item.At("single_word").Bool();
  if (token.text.empty()) item.At("content").Fail("is empty");
  token.match =
      token.normalized ? pipeline.normalization.Apply(token.text, item.At("content")) : token.text;
  if (token.match.empty()) item.At("content").Fail("is empty once normalised");
  if (token.match.size() > kMaxAddedTokenBytes || token.text.size() > kMaxAddedTokenBytes) {
    item.At("content").Fail("is longer than " + std::to_string(kMaxAddedTokenBytes) + " bytes");
  }
  return token;
}

// Combinations whose exact meaning would depend on an order of events that we do not follow.
void CheckCombinations(const std::vector<AddedTokenSpec>& added, const Pipeline& pipeline,
                       const JsonValue& where) {
  for (const bool normalized : {false, true}) {
    bool strips_right = false;
    bool begins_with_space = false;
    for (const AddedTokenSpec& token : added) {
      if (token.normalized != normalized) continue;
      strips_right |= token.strip_right;
      begins_with_space |= token.match[0] == ' ';
      if (normalized && !pipeline.early_replacement.empty() &&
          (token.strip_left || token.strip_right || token.match.find(' ') != std::string::npos ||
           token.match.find(pipeline.early_replacement) != std::string::npos)) {
        where.Fail("has '" + token.text +
                   "', normalized and with spaces beside Metaspace, which is not supported");
      }
    }
    if (normalized && strips_right && begins_with_space) {
      where.Fail(
          "has normalized tokens with rstrip beside some that begin with a space, which is not "
          "supported");
    }
  }
}

}  // namespace

std::optional<uint32_t> Vocabulary::Find(const std::string& text) const {
  const auto found = ids.find(text);
  if (found == ids.end()) return std::nullopt;
  return found->second;
}

std::vector<int32_t> Vocabulary::ByteTokens() const {
  std::vector<int32_t> byte_tokens;
  for (int byte = 0; byte < 256; ++byte) {
    const auto id = Find(ByteToken(static_cast<uint8_t>(byte)));
    byte_tokens.push_back(id.has_value() ? static_cast<int32_t>(*id) : -1);
  }
  return byte_tokens;
}

Vocabulary Vocabulary::Parse(const JsonValue& root, const Pipeline& pipeline) {
  Vocabulary vocabulary;
  const JsonValue vocab = root.At("model").At("vocab");
  if (vocab.json().is_array()) {
    // Unigram's: [text, score] by id.
    const std::vector<JsonValue> items = vocab.Items();
    if (items.size() > kMaxVocabSize) vocab.Fail("is too long");
    for (size_t i = 0; i < items.size(); ++i) {
      const std::vector<JsonValue> pair = items[i].Items();
      if (pair.size() != 2) items[i].Fail("is not a text and its score");
      const auto id = static_cast<uint32_t>(i);
      const std::string text = pair[0].String();
      Put(vocabulary, id, text, items[i]);
      vocabulary.ids[text] = id;  // of two of one text the last, as in Hugging Face's library
    }
  } else if (vocab.json().is_object()) {
    vocabulary.ids.reserve(vocab.json().size());
    for (const auto& [text, id] : vocab.json().items()) {
      const uint32_t value =
          JsonValue(id, vocab.file(), "model.vocab['" + text + "']").Uint(kMaxVocabSize);
      Put(vocabulary, value, text, vocab);
      vocabulary.ids.emplace(text, value);
    }
  } else {
    vocab.Fail("is neither an object nor a list");
  }

  // Of our own making: pieces that no text becomes, as another has theirs, but that a model may
  // say.
  if (const JsonValue repeated = root.Find("repeated"); !repeated.IsNull()) {
    for (const JsonValue& item : repeated.Items()) {
      const std::vector<JsonValue> pair = item.Items();
      if (pair.size() != 2) item.Fail("is not an id and its text");
      Put(vocabulary, pair[0].Uint(kMaxVocabSize), pair[1].String(), item);
    }
  }

  const JsonValue added = root.Find("added_tokens");
  if (added.IsNull()) return vocabulary;
  for (const JsonValue& item : added.Items()) {
    AddedTokenSpec token = ParseAdded(item, pipeline);
    if (const auto id = vocabulary.Find(token.text); id.has_value() && *id != token.id) {
      item.At("id").Fail("is " + std::to_string(token.id) + ", but model.vocab gives '" +
                         token.text + "' id " + std::to_string(*id));
    }
    Put(vocabulary, token.id, token.text, item);
    vocabulary.added.push_back(std::move(token));
  }
  // Decoding starts from the normalised text, which the decoder is made to undo.
  for (const AddedTokenSpec& token : vocabulary.added) vocabulary.texts[token.id] = token.match;

  std::sort(vocabulary.added.begin(), vocabulary.added.end(),
            [](const AddedTokenSpec& a, const AddedTokenSpec& b) {
              return std::tie(a.normalized, a.match) < std::tie(b.normalized, b.match);
            });
  for (size_t i = 1; i < vocabulary.added.size(); ++i) {
    const AddedTokenSpec& token = vocabulary.added[i];
    if (token.normalized == vocabulary.added[i - 1].normalized &&
        token.match == vocabulary.added[i - 1].match) {
      added.Fail("has '" + token.text + "' twice");
    }
  }
  CheckCombinations(vocabulary.added, pipeline, added);
  return vocabulary;
}

}  // namespace rondo::convert
