#include "tools/convert/tokenizer/normalization.h"

#include <utility>

#include "runtime/text/normalizer.h"
#include "runtime/text/tokenizer_tables.h"
#include "tools/convert/tokenizer/pattern.h"
#include "tools/convert/tokenizer/text.h"

namespace rondo::convert {
namespace {

using format::NormalizerKind;

constexpr int kMaxDepth = 16;

void FlattenInto(const JsonValue& value, const char* list_key, int depth,
                 std::vector<JsonValue>& flat) {
  if (value.IsNull()) return;
  if (value.Type() != "Sequence") {
    flat.push_back(value);
    return;
  }
  if (depth == kMaxDepth) value.Fail("is nested more than 16 deep");
  for (const JsonValue& item : value.At(list_key).Items()) {
    FlattenInto(item, list_key, depth + 1, flat);
  }
}

std::string Content(const JsonValue& value) {
  std::string text = value.String();
  if (text.size() > kMaxContentBytes) {
    value.Fail("has " + std::to_string(text.size()) + " bytes, at most " +
               std::to_string(kMaxContentBytes) + " are supported");
  }
  return text;
}

// BertNormalizer, in the order of its parts. Spaces that it makes of other whitespace, and sets
// around Han characters, split text alone, which BertPreTokenizer does by itself.
void AddBertSteps(const JsonValue& step, Normalization& normalization) {
  const auto remove = [&](const char* pattern) {
    NormalizerSpec spec;
    spec.kind = NormalizerKind::Replace;
    spec.pattern = pattern;
    spec.regex = true;
    normalization.steps.push_back(spec);
  };
  if (step.Find("clean_text").BoolOr(true)) remove(R"((?![\t\n\r])[\p{C}\x{FFFD}])");
  normalization.splits_han = step.Find("handle_chinese_chars").BoolOr(true);
  const bool lowercase = step.Find("lowercase").BoolOr(true);
  if (step.Find("strip_accents").BoolOr(lowercase)) {
    NormalizerSpec form;
    form.kind = NormalizerKind::Form;
    normalization.steps.push_back(form);
    remove(R"(\p{Mn})");
  }
  if (!lowercase) return;
  NormalizerSpec lower;
  lower.kind = NormalizerKind::Lowercase;
  normalization.steps.push_back(lower);
}

NormalizerSpec ParseStep(const JsonValue& step, Charsmap& charsmap) {
  const std::string type = step.Type();
  NormalizerSpec spec;
  if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD") {
    spec.kind = NormalizerKind::Form;
    spec.compose = type.back() == 'C';
    spec.compatibility = type[2] == 'K';
  } else if (type == "Lowercase") {
    spec.kind = NormalizerKind::Lowercase;
  } else if (type == "StripAccents") {
    spec.kind = NormalizerKind::StripMarks;
  } else if (type == "Replace") {
    spec.kind = NormalizerKind::Replace;
    PatternSpec pattern = PatternSpec::Parse(step);
    spec.pattern = std::move(pattern.text);
    spec.regex = pattern.regex;
    spec.content = Content(step.At("content"));
  } else if (type == "Prepend") {
    spec.kind = NormalizerKind::Prepend;
    spec.content = Content(step.At("prepend"));
  } else if (type == "Strip") {
    spec.kind = NormalizerKind::Strip;
    spec.left = step.At("strip_left").Bool();
    spec.right = step.At("strip_right").Bool();
  } else if (type == "Precompiled") {
    const JsonValue encoded = step.At("precompiled_charsmap");
    const auto bytes = DecodeBase64(encoded.String());
    if (!bytes.has_value()) encoded.Fail("is not base64");
    if (!charsmap.trie.empty()) step.Fail("is a second Precompiled");
    spec.kind = NormalizerKind::Charsmap;
    charsmap = Charsmap::Parse(*bytes, encoded);
  } else {
    step.At("type").Fail("is '" + type + "', a normaliser that is not supported");
  }
  return spec;
}

}  // namespace

std::vector<JsonValue> Flatten(const JsonValue& value, const char* list_key) {
  std::vector<JsonValue> flat;
  FlattenInto(value, list_key, 0, flat);
  return flat;
}

PatternSpec PatternSpec::Parse(const JsonValue& step) {
  const JsonValue pattern = step.At("pattern");
  if (const JsonValue regex = pattern.Find("Regex"); !regex.IsNull()) {
    return {TranslatePattern(regex.String(), /*over_bytes=*/false, pattern), true};
  }
  std::string text = pattern.At("String").String();
  if (text.empty()) pattern.Fail("is empty");
  if (text.size() > kMaxPatternBytes) pattern.Fail("is too long");
  return {std::move(text), false};
}

Normalization Normalization::Parse(const JsonValue& root) {
  Normalization normalization;
  for (const JsonValue& step : Flatten(root.Find("normalizer"), "normalizers")) {
    if (step.Type() == "BertNormalizer") {
      AddBertSteps(step, normalization);
    } else {
      normalization.steps.push_back(ParseStep(step, normalization.charsmap));
    }
    if (normalization.steps.size() >= kMaxNormalizerSteps) step.Fail("is one too many");
  }
  normalization.replace_each_byte = root.Find("replace_each_byte").BoolOr(false);
  return normalization;
}

void Normalization::AddReplace(const std::string& from, const std::string& to) {
  NormalizerSpec spec;
  spec.kind = NormalizerKind::Replace;
  spec.pattern = from;
  spec.content = to;
  steps.push_back(std::move(spec));
}

flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<format::NormalizerStep>>>
Normalization::Build(flatbuffers::FlatBufferBuilder& builder) const {
  std::vector<flatbuffers::Offset<format::NormalizerStep>> offsets;
  for (const NormalizerSpec& step : steps) {
    const auto pattern = builder.CreateString(step.pattern);
    const auto content = builder.CreateString(step.content);
    offsets.push_back(format::CreateNormalizerStep(builder, step.kind, step.compose,
                                                   step.compatibility, pattern, step.regex, content,
                                                   step.left, step.right));
  }
  return builder.CreateVector(offsets);
}

std::string Normalization::Apply(const std::string& text, const JsonValue& where) const {
  const auto require = [&](const Status& status) {
    if (!status.ok()) where.Fail(std::string("cannot be normalised: ") + status.message());
  };
  flatbuffers::FlatBufferBuilder builder;
  const auto offsets = Build(builder);
  format::TokenizerBuilder tokenizer(builder);
  tokenizer.add_normalizer(offsets);
  builder.Finish(tokenizer.Finish());
  TokenizerTables tables;
  tables.settings = flatbuffers::GetRoot<format::Tokenizer>(builder.GetBufferPointer());
  tables.charsmap = charsmap.trie;
  tables.charsmap_texts = charsmap.texts;

  auto memory = RegexMemory::Create();
  require(memory.status());
  const auto runtime_steps = NormalizerSteps::Create(tables, **memory);
  require(runtime_steps.status());
  auto scratch = NormalizerScratch::Create(runtime_steps->count);
  require(scratch.status());
  Normalizer normalizer(*runtime_steps, *scratch,
                        {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  std::string result;
  std::vector<uint8_t> out(2 * Normalizer::kRoomBytes);
  while (!normalizer.done()) {
    size_t written = 0;
    require(normalizer.Fill(out, &written));
    result.append(reinterpret_cast<const char*>(out.data()), written);
  }
  return result;
}

}  // namespace rondo::convert
