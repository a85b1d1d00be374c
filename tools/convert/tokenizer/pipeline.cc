#include "tools/convert/tokenizer/pipeline.h"

#include <algorithm>
#include <cctype>

#include "runtime/text/tokenizer_tables.h"
#include "tools/convert/tokenizer/known_patterns.h"
#include "tools/convert/tokenizer/pattern.h"
#include "tools/convert/tokenizer/text.h"

namespace rondo::convert {
namespace {

format::Behavior ParseBehavior(const JsonValue& behavior) {
  const std::string name = behavior.String();
  if (name == "Isolated") return format::Behavior::Isolated;
  if (name == "Removed") return format::Behavior::Removed;
  if (name == "Contiguous") return format::Behavior::Contiguous;
  if (name == "MergedWithPrevious") return format::Behavior::MergedWithPrevious;
  if (name == "MergedWithNext") return format::Behavior::MergedWithNext;
  behavior.Fail("is '" + name + "', which is not a known behaviour");
}

uint32_t OneCharacter(const JsonValue& value) {
  const std::vector<uint32_t> characters = CodePoints(value.String());
  if (characters.size() != 1) value.Fail("is not one character");
  return characters[0];
}

// Changes the pieces that the stages so far make: spaces become `replacement` unless that is
// empty; `prefix` comes before pieces that do not begin with it.
void AddRewrite(const JsonValue& step, const std::string& replacement, const std::string& prefix,
                bool first_only, Pipeline& pipeline) {
  if (prefix.size() > kMaxPrefixBytes) step.Fail("has a prefix that is too long");
  if (!pipeline.stages.empty()) {
    if (pipeline.byte_level) step.Fail("rewrites text after ByteLevel, which is not supported");
    StageSpec stage;
    stage.kind = format::StageKind::Rewrite;
    stage.replacement = replacement;
    stage.prefix = prefix;
    stage.prefix_first_only = first_only;
    pipeline.stages.push_back(stage);
    return;
  }
  // Before any splitting, this can be done as the text comes in.
  if (!replacement.empty()) {
    pipeline.normalization.AddReplace(" ", replacement);
    pipeline.early_replacement = replacement;
  }
  pipeline.piece_prefix = prefix;
  pipeline.prefix_first_only = first_only;
}

void ParseMetaspace(const JsonValue& step, Pipeline& pipeline) {
  const std::string replacement = step.At("replacement").String();
  const uint32_t character = OneCharacter(step.At("replacement"));
  std::string scheme = "always";
  if (const JsonValue given = step.Find("prepend_scheme"); !given.IsNull()) {
    scheme = given.String();
    if (scheme != "always" && scheme != "first" && scheme != "never") {
      given.Fail("is '" + scheme + "', expected always, first or never");
    }
  } else if (!step.Find("add_prefix_space").BoolOr(true)) {
    scheme = "never";
  }
  AddRewrite(step, replacement, scheme == "never" ? "" : replacement, scheme == "first", pipeline);
  if (step.Find("split").BoolOr(true)) {
    StageSpec stage;
    stage.kind = format::StageKind::Character;
    stage.behavior = format::Behavior::MergedWithNext;
    stage.character = character;
    pipeline.stages.push_back(stage);
  }
}

std::string SplitPattern(const JsonValue& step, bool over_bytes) {
  const JsonValue pattern = step.At("pattern");
  const JsonValue regex = pattern.Find("Regex");
  if (!regex.IsNull()) return TranslatePattern(regex.String(), over_bytes, pattern);
  const std::string text = pattern.At("String").String();
  if (text.empty()) pattern.Fail("is empty");
  return TranslatePattern(QuotePattern(text), over_bytes, pattern);
}

void ParseByteLevel(const JsonValue& step, Pipeline& pipeline) {
  if (pipeline.byte_level) step.Fail("is a second ByteLevel");
  if (step.At("add_prefix_space").Bool()) {
    AddRewrite(step, /*replacement=*/"", /*prefix=*/" ", /*first_only=*/false, pipeline);
  }
  pipeline.byte_level = true;
  if (!step.Find("use_regex").BoolOr(true)) return;
  StageSpec stage;
  stage.kind = format::StageKind::Pattern;
  stage.pattern = TranslatePattern(std::string(kGpt2Pattern), /*over_bytes=*/false, step);
  pipeline.stages.push_back(stage);
}

// Words, with each sign by itself; and each Han character, around which BertNormalizer sets spaces.
void AddBertStages(const JsonValue& step, Pipeline& pipeline) {
  if (pipeline.byte_level) step.Fail("(BertPreTokenizer) after ByteLevel is not supported");
  StageSpec stage;
  stage.kind = format::StageKind::Whitespace;
  stage.behavior = format::Behavior::Removed;
  pipeline.stages.push_back(stage);
  stage.behavior = format::Behavior::Isolated;
  if (pipeline.normalization.splits_han) {
    stage.kind = format::StageKind::Pattern;
    stage.pattern = HanPattern();
    pipeline.stages.push_back(stage);
  }
  stage.kind = format::StageKind::Punctuation;
  stage.pattern = "";
  pipeline.stages.push_back(stage);
  if (pipeline.stages.size() >= kMaxStages) step.Fail("is one too many");
}

void ParsePreTokenizer(const JsonValue& root, Pipeline& pipeline) {
  for (const JsonValue& step : Flatten(root.Find("pre_tokenizer"), "pretokenizers")) {
    const std::string type = step.Type();
    if (type == "ByteLevel") {
      ParseByteLevel(step, pipeline);
      continue;
    }
    if (type == "Metaspace") {
      ParseMetaspace(step, pipeline);
      continue;
    }
    if (type == "BertPreTokenizer") {
      AddBertStages(step, pipeline);
      continue;
    }
    StageSpec stage;
    stage.over_bytes = pipeline.byte_level;
    if (type == "Split") {
      stage.kind = format::StageKind::Pattern;
      stage.behavior = ParseBehavior(step.At("behavior"));
      stage.invert = step.Find("invert").BoolOr(false);
      stage.pattern = SplitPattern(step, stage.over_bytes);
    } else if (type == "Digits") {
      stage.kind = format::StageKind::Numerals;
      if (!step.At("individual_digits").Bool()) stage.behavior = format::Behavior::Contiguous;
    } else if (type == "Punctuation") {
      stage.kind = format::StageKind::Punctuation;
      const JsonValue behavior = step.Find("behavior");
      if (!behavior.IsNull()) stage.behavior = ParseBehavior(behavior);
    } else if (type == "WhitespaceSplit") {
      stage.kind = format::StageKind::Whitespace;
      stage.behavior = format::Behavior::Removed;
    } else if (type == "CharDelimiterSplit") {
      stage.kind = format::StageKind::Character;
      stage.behavior = format::Behavior::Removed;
      stage.character = OneCharacter(step.At("delimiter"));
    } else if (type == "Whitespace") {
      if (stage.over_bytes) step.Fail("(Whitespace) after ByteLevel is not supported");
      stage.kind = format::StageKind::Pattern;
      stage.behavior = format::Behavior::Removed;
      stage.invert = true;
      stage.pattern = WordsPattern();
    } else {
      step.At("type").Fail("is '" + type + "', a pre-tokeniser that is not supported");
    }
    if (pipeline.stages.size() + 1 >= kMaxStages) step.Fail("is one too many");
    pipeline.stages.push_back(stage);
  }
  size_t rewrites = 0;
  for (const StageSpec& stage : pipeline.stages) {
    rewrites += stage.kind == format::StageKind::Rewrite ? 1 : 0;
  }
  if (rewrites > 1 || (rewrites > 0 && !pipeline.piece_prefix.empty())) {
    root.At("pre_tokenizer").Fail("changes the text twice, which is not supported");
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

// The older form of a template: "cls" before the text and "sep" after it, each [text, id].
void ParsePair(const JsonValue& step, Pipeline& pipeline) {
  if (!pipeline.before.empty() || !pipeline.after.empty()) step.Fail("is a second template");
  const auto id = [&](const char* name) {
    const std::vector<JsonValue> pair = step.At(name).Items();
    if (pair.size() != 2) step.At(name).Fail("is not a token and its id");
    return pair[1].Uint(UINT32_MAX);
  };
  pipeline.before.push_back(id("cls"));
  pipeline.after.push_back(id("sep"));
}

void ParsePostProcessor(const JsonValue& root, Pipeline& pipeline) {
  for (const JsonValue& step : Flatten(root.Find("post_processor"), "processors")) {
    const std::string type = step.Type();
    if (type == "TemplateProcessing") {
      ParseTemplate(step, pipeline);
    } else if (type == "RobertaProcessing" || type == "BertProcessing") {
      ParsePair(step, pipeline);
    } else if (type != "ByteLevel") {  // which only trims offsets
      step.At("type").Fail("is '" + type + "', a post-processor that is not supported");
    }
  }
}

// A Replace of the decoder looks for a string.
std::string LiteralPattern(const JsonValue& step) {
  const JsonValue pattern = step.At("pattern");
  if (!pattern.Find("Regex").IsNull()) {
    pattern.Fail("is a regular expression, only a string is supported here");
  }
  std::string text = pattern.At("String").String();
  if (text.empty()) pattern.Fail("is empty");
  return text;
}

void ParseDecoder(const JsonValue& root, Pipeline& pipeline) {
  bool fused = false;
  const JsonValue decoder = root.Find("decoder");
  if (decoder.IsNull()) {
    // Tokens as they are, joined by spaces; of bytes, whose letters nobody reads, the bytes.
    const bool of_bytes = pipeline.byte_level;
    pipeline.decode_steps.push_back(
        {of_bytes ? DecodeStep::kByteLevel : DecodeStep::kJoin, "", ""});
    pipeline.first_token_without_spaces = !of_bytes;
    return;
  }
  for (const JsonValue& step : Flatten(decoder, "decoders")) {
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
    } else if (type == "WordPiece") {  // but for its clean-up, which moves signs to words
      before_bytes();
      pipeline.decode_steps.push_back({DecodeStep::kWordPiece, step.At("prefix").String(), ""});
      pipeline.first_token_without_spaces = true;
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

Pipeline Pipeline::Parse(const JsonValue& root) {
  Pipeline pipeline;
  pipeline.normalization = Normalization::Parse(root);
  ParsePreTokenizer(root, pipeline);
  ParsePostProcessor(root, pipeline);
  ParseDecoder(root, pipeline);
  return pipeline;
}

std::string Pipeline::DecodeToken(const std::string& text) const {
  std::string result = text;
  for (const DecodeStep& step : decode_steps) {
    switch (step.kind) {
      case DecodeStep::kReplace:
        result = ReplaceAll(result, step.from, step.to);
        break;
      case DecodeStep::kWordPiece:
        if (result.starts_with(step.from)) {
          result.erase(0, step.from.size());
        } else {
          result.insert(0, 1, ' ');
        }
        break;
      case DecodeStep::kJoin:
        result.insert(0, 1, ' ');
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
