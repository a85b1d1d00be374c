#include "tools/convert/tokenizer/pipeline.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "runtime/text/unicode.h"
#include "runtime/text/utf8.h"
#include "tools/convert/tokenizer/pattern.h"

namespace rondo::convert {
namespace {

// What ByteLevel splits with unless told otherwise: GPT-2's pattern.
const std::string kByteLevelPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// `Sequence` of `list_key` taken apart, however nested; a single step is a list of one.
std::vector<JsonValue> Flatten(const JsonValue& value, const char* list_key) {
  if (value.IsNull()) return {};
  if (value.Type() != "Sequence") return {value};
  std::vector<JsonValue> flat;
  for (const JsonValue& item : value.At(list_key).Items()) {
    for (JsonValue& step : Flatten(item, list_key)) flat.push_back(std::move(step));
  }
  return flat;
}

std::string ReplaceAll(const std::string& text, const std::string& from, const std::string& to) {
  std::string result;
  size_t at = 0;
  for (size_t hit; (hit = text.find(from, at)) != std::string::npos; at = hit + from.size()) {
    result += text.substr(at, hit - at) + to;
  }
  return result + text.substr(at);
}

// The pattern of Replace and Split: {"String": ...} or {"Regex": ...}.
std::string LiteralPattern(const JsonValue& step) {
  const JsonValue pattern = step.At("pattern");
  if (!pattern.Find("Regex").IsNull()) {
    pattern.Fail("is a regular expression, only a string is supported here");
  }
  std::string text = pattern.At("String").String();
  if (text.empty()) pattern.Fail("is empty");
  return text;
}

void SetReplacement(Pipeline& pipeline, char from, const std::string& to, const JsonValue& where) {
  if (pipeline.replace != '\0') where.Fail("replaces a second character, one is supported");
  pipeline.replace = from;
  pipeline.replacement = to;
  pipeline.prepend = ReplaceAll(pipeline.prepend, std::string(1, from), to);
}

void ParseNormalizer(const JsonValue& root, Pipeline& pipeline) {
  for (const JsonValue& step : Flatten(root.Find("normalizer"), "normalizers")) {
    const std::string type = step.Type();
    if (type == "NFC") {
      if (!pipeline.prepend.empty() || pipeline.replace != '\0') {
        step.Fail("(NFC) is supported only as the first normaliser");
      }
      pipeline.nfc = true;
    } else if (type == "Prepend") {
      pipeline.prepend = step.At("prepend").String() + pipeline.prepend;
    } else if (type == "Replace") {
      const std::string from = LiteralPattern(step);
      if (from.size() != 1 || from[0] == '\0') {
        step.Fail("replaces '" + from + "', only a single ASCII character is supported");
      }
      SetReplacement(pipeline, from[0], step.At("content").String(), step);
    } else {
      step.At("type").Fail("is '" + type + "', a normaliser that is not supported");
    }
  }
}

void ParseMetaspace(const JsonValue& step, size_t index, Pipeline& pipeline) {
  if (index != 0) step.Fail("(Metaspace) is supported only as the first pre-tokeniser");
  const std::string replacement = step.At("replacement").String();
  const std::vector<uint32_t> characters = CodePoints(replacement);
  if (characters.size() != 1) step.At("replacement").Fail("is not one character");
  std::string scheme = "always";
  if (const JsonValue given = step.Find("prepend_scheme"); !given.IsNull()) {
    scheme = given.String();
    if (scheme != "always" && scheme != "first" && scheme != "never") {
      given.Fail("is '" + scheme + "', expected always, first or never");
    }
  } else if (!step.Find("add_prefix_space").BoolOr(true)) {
    scheme = "never";
  }
  SetReplacement(pipeline, ' ', replacement, step);
  pipeline.replaces_before_split = true;
  if (scheme != "never") pipeline.piece_prefix = replacement;
  pipeline.prefix_first_only = scheme == "first";
  if (step.Find("split").BoolOr(true)) {
    StageSpec stage;
    stage.kind = format::StageKind::BeforeCharacter;
    stage.character = characters[0];
    pipeline.stages.push_back(stage);
  }
}

void ParsePreTokenizer(const JsonValue& root, Pipeline& pipeline) {
  const std::vector<JsonValue> steps = Flatten(root.Find("pre_tokenizer"), "pretokenizers");
  for (size_t i = 0; i < steps.size(); ++i) {
    const JsonValue& step = steps[i];
    const std::string type = step.Type();
    StageSpec stage;
    stage.over_bytes = pipeline.byte_level;
    if (type == "ByteLevel") {
      if (pipeline.byte_level) step.Fail("is a second ByteLevel");
      if (step.At("add_prefix_space").Bool()) {
        if (i != 0) step.Fail("has add_prefix_space, supported only in the first pre-tokeniser");
        pipeline.piece_prefix = " ";
      }
      pipeline.byte_level = true;
      if (!step.Find("use_regex").BoolOr(true)) continue;
      stage.kind = format::StageKind::Pattern;
      stage.pattern = TranslatePattern(kByteLevelPattern, /*over_bytes=*/false, step);
    } else if (type == "Split") {
      const JsonValue behavior = step.At("behavior");
      if (behavior.String() != "Isolated") {
        behavior.Fail("is '" + behavior.String() + "', only Isolated is supported");
      }
      if (step.Find("invert").BoolOr(false)) step.At("invert").Fail("is not supported");
      const JsonValue pattern = step.At("pattern");
      const JsonValue regex = pattern.Find("Regex");
      stage.kind = format::StageKind::Pattern;
      stage.pattern =
          TranslatePattern(regex.IsNull() ? QuotePattern(LiteralPattern(step)) : regex.String(),
                           stage.over_bytes, pattern);
    } else if (type == "Digits") {
      stage.kind = format::StageKind::Numerals;
      stage.each = step.At("individual_digits").Bool();
    } else if (type == "Punctuation") {
      const JsonValue behavior = step.Find("behavior");
      const std::string name = behavior.IsNull() ? "Isolated" : behavior.String();
      if (name != "Isolated" && name != "Contiguous") {
        behavior.Fail("is '" + name + "', only Isolated and Contiguous are supported");
      }
      stage.kind = format::StageKind::Punctuation;
      stage.each = name == "Isolated";
    } else if (type == "Metaspace") {
      ParseMetaspace(step, i, pipeline);
      continue;
    } else {
      step.At("type").Fail("is '" + type + "', a pre-tokeniser that is not supported");
    }
    pipeline.stages.push_back(stage);
  }
}

void ParseTemplate(const JsonValue& step, Pipeline& pipeline) {
  if (!pipeline.before.empty() || !pipeline.after.empty()) step.Fail("is a second template");
  bool text_seen = false;
  for (const JsonValue& item : step.At("single").Items()) {
    if (!item.Find("Sequence").IsNull()) {
      if (text_seen) item.Fail("is a second text");
      text_seen = true;
      continue;
    }
    const std::string name = item.At("SpecialToken").At("id").String();
    for (const JsonValue& id : step.At("special_tokens").At(name).At("ids").Items()) {
      (text_seen ? pipeline.after : pipeline.before).push_back(id.Uint(UINT32_MAX));
    }
  }
  if (!text_seen) step.At("single").Fail("has no place for the text");
}

void ParsePostProcessor(const JsonValue& root, Pipeline& pipeline) {
  for (const JsonValue& step : Flatten(root.Find("post_processor"), "processors")) {
    const std::string type = step.Type();
    if (type == "TemplateProcessing") {
      ParseTemplate(step, pipeline);
    } else if (type != "ByteLevel") {  // which only trims offsets
      step.At("type").Fail("is '" + type + "', a post-processor that is not supported");
    }
  }
}

void ParseDecoder(const JsonValue& root, Pipeline& pipeline) {
  bool fused = false;
  for (const JsonValue& step : Flatten(root.At("decoder"), "decoders")) {
    const std::string type = step.Type();
    const auto before_fuse = [&] {
      if (fused) step.Fail("(" + type + ") is supported only before Fuse");
    };
    const auto before_bytes = [&] {
      before_fuse();
      if (!pipeline.decode_steps.empty() &&
          pipeline.decode_steps.back().kind != DecodeStep::kReplace) {
        step.Fail("(" + type + ") is supported only before bytes are decoded");
      }
    };
    if (type == "ByteLevel") {
      before_bytes();
      pipeline.decode_steps.push_back({DecodeStep::kByteLevel, "", ""});
    } else if (type == "ByteFallback") {
      before_bytes();
      pipeline.decode_steps.push_back({DecodeStep::kByteFallback, "", ""});
    } else if (type == "Replace") {
      before_bytes();
      pipeline.decode_steps.push_back(
          {DecodeStep::kReplace, LiteralPattern(step), step.At("content").String()});
    } else if (type == "Metaspace") {
      before_bytes();
      pipeline.decode_steps.push_back({DecodeStep::kReplace, step.At("replacement").String(), " "});
      const JsonValue scheme = step.Find("prepend_scheme");
      pipeline.first_token_without_spaces =
          scheme.IsNull() ? step.Find("add_prefix_space").BoolOr(true) : scheme.String() != "never";
    } else if (type == "Fuse") {
      fused = true;
    } else if (type == "Strip") {
      if (!fused) step.Fail("(Strip) is supported only after Fuse");
      if (step.At("content").String() != " " || step.At("stop").Uint(UINT32_MAX) != 0) {
        step.Fail("strips other than spaces at the start, which is not supported");
      }
      pipeline.strip_start += step.At("start").Uint(16);
    } else {
      step.At("type").Fail("is '" + type + "', a decoder that is not supported");
    }
  }
}

}  // namespace

std::vector<uint32_t> CodePoints(const std::string& text) {
  std::vector<uint32_t> code_points;
  const auto* at = reinterpret_cast<const uint8_t*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    const Utf8Step step = DecodeUtf8(at, end);
    code_points.push_back(step.code_point);
    at += step.length;
  }
  return code_points;
}

bool FromByteAlphabet(const std::string& text, std::string* bytes) {
  static const std::vector<int> table = [] {
    std::vector<int> reverse(0x144, -1);
    for (int byte = 0; byte < 256; ++byte) reverse[ByteAlphabet(static_cast<uint8_t>(byte))] = byte;
    return reverse;
  }();
  bytes->clear();
  for (const uint32_t code_point : CodePoints(text)) {
    if (code_point >= table.size() || table[code_point] < 0) return false;
    *bytes += static_cast<char>(table[code_point]);
  }
  return true;
}

Pipeline Pipeline::Parse(const JsonValue& root) {
  Pipeline pipeline;
  ParseNormalizer(root, pipeline);
  ParsePreTokenizer(root, pipeline);
  ParsePostProcessor(root, pipeline);
  ParseDecoder(root, pipeline);
  return pipeline;
}

std::string Pipeline::Normalize(const std::string& text) const {
  std::string result = text;
  if (nfc) {
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> composed(
        utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str())), &std::free);
    result = reinterpret_cast<const char*>(composed.get());
  }
  if (replace != '\0') result = ReplaceAll(result, std::string(1, replace), replacement);
  return prepend + result;
}

std::string Pipeline::DecodeToken(const std::string& text) const {
  std::string result = text;
  for (const DecodeStep& step : decode_steps) {
    switch (step.kind) {
      case DecodeStep::kReplace:
        result = ReplaceAll(result, step.from, step.to);
        break;
      case DecodeStep::kByteLevel:
        if (std::string bytes; FromByteAlphabet(result, &bytes)) result = bytes;
        break;
      case DecodeStep::kByteFallback:
        if (result.size() == 6 && result.starts_with("<0x") && result.ends_with(">") &&
            std::all_of(result.begin() + 3, result.begin() + 5,
                        [](unsigned char c) { return std::isxdigit(c) != 0; })) {
          result = std::string(1, static_cast<char>(std::stoi(result.substr(3, 2), nullptr, 16)));
        }
        break;
    }
  }
  return result;
}

}  // namespace rondo::convert
