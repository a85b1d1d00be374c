#include "tools/convert/tokenizer/splittings.h"

#include <algorithm>

#include "tools/convert/tokenizer/known_patterns.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

// ---- Patterns

// Marks belong to the letters before them.
constexpr std::string_view kQwen35 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|)"
    R"( ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
// An apostrophe belongs to the letters behind it.
constexpr std::string_view kUfakzeka =
    R"([^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kMinicpm5 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kBailing =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n])"
    R"(|\s+(?!\S)|\s+)";
constexpr std::string_view kSeedCoder =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kExaoneMoe =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)";
// Runs of spaces in powers of two.
constexpr std::string_view kJais2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|)"
    R"(\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})";
// Words end where small letters do.
constexpr std::string_view kTekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
    R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kYoutu =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
// Han characters are words of their own.
constexpr std::string_view kKimiK2 =
    R"([\p{Han}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*)"
    R"([\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+)"
    R"([\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
// A sign before ASCII letters belongs to them.
constexpr std::string_view kDeepSeekV3 =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|)"
    R"( ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kSpark =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|)"
    R"( ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view kBloom =
    R"( ?[^(\s|.,!?\x{2026}\x{3002}\x{FF0C}\x{3001}\x{964}\x{6D4}\x{60C})]+)";

constexpr std::string_view kEachNewline = R"([\r\n])";
constexpr std::string_view kUpToThreeDigits = R"(\p{N}{1,3})";
constexpr std::string_view kHanAndKana =
    R"([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)";
constexpr std::string_view kHanAndHangul =
    R"([\x{4E00}-\x{9FA5}\x{0800}-\x{4E00}\x{AC00}-\x{D7FF}]+)";
// Letters with case, of Latin, Greek, Cyrillic and the like.
constexpr std::string_view kDeepSeekLetters =
    R"(\s?[A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\x{293})"
    R"(\x{295}-\x{2AF}\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A})"
    R"(\x{38C}\x{38E}-\x{3A1}\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556})"
    R"(\x{10A0}-\x{10C5}\x{13A0}-\x{13F5}\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF})"
    R"(\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A}\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D})"
    R"(\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D})"
    R"(\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4})"
    R"(\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4})"
    R"(\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115}\x{2119}-\x{211D}\x{2124})"
    R"(\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139}\x{213C}-\x{213F})"
    R"(\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4})"
    R"(\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F})"
    R"(\x{A771}-\x{A787}\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06}\x{FB13}-\x{FB17})"
    R"(\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{10400}-\x{1044F}\x{104B0}-\x{104D3})"
    R"(\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF})"
    R"(\x{1E900}-\x{1E943}]+)";
constexpr std::string_view kDeepSeekSigns =
    R"(\s?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E}\x{2018}-\x{201F}\x{3000}-\x{3002}]+)";

constexpr std::string_view kYoutuScripts =
    R"([\x{AC00}-\x{D7A3}\x{3131}-\x{318E}]+|[\x{FF01}\x{2026}\x{201C}\x{201D}\x{2018}\x{2019})"
    R"(\x{2014}\x{FF1A}\x{FF1B}\x{FF0C}\x{3001}-\x{303F}\x{FE30}-\x{FE4F}]+|[\x{3105}-\x{312F}])"
    R"(+|[\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)";
constexpr std::string_view kAfmoeScripts =
    R"([\x{4E00}-\x{9FFF}\x{3400}-\x{4DBF}\x{F900}-\x{FAFF}\x{3040}-\x{309F}\x{30A0}-\x{30FF})"
    R"(\x{FF65}-\x{FF9F}\x{2F00}-\x{2FDF}\x{E40}-\x{E7F}\x{E80}-\x{EFF}\x{1780}-\x{17FF})"
    R"(\x{1000}-\x{109F}\x{AA60}-\x{AA7F}\x{A9E0}-\x{A9FF}\x{AC00}-\x{D7AF}\x{1100}-\x{11FF}]+)";
// Groups of three, counted from the end of a number.
constexpr std::string_view kThreesOfNumbers = R"(\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N})))";
constexpr std::string_view kThreesOfDigits = R"(\d{1,3}(?=(?:\d{3})*(?!\w)))";
// The same where a number may hold other characters than decimal digits.
constexpr std::string_view kSuperThrees = R"(\p{N}(?:(?!(?:\d{3})+(?!\d))\p{N})*)";

// ---- The table

constexpr SplitStep Match(std::string_view pattern) { return {SplitStep::kPattern, pattern}; }
constexpr SplitStep kDigits = {SplitStep::kDigits};
constexpr SplitStep kNumbers = {SplitStep::kNumbers};
constexpr SplitStep kPunctuation = {SplitStep::kPunctuation};
constexpr SplitStep kBytes = {SplitStep::kBytes};

using Steps = std::array<SplitStep, 6>;
constexpr Steps kGpt2Words = {kBytes};
constexpr Steps kDigitsAndWords = {kDigits, kBytes};
constexpr Steps kLlama3Words = {Match(kCl100kPattern)};
constexpr Steps kQwen2Words = {Match(kQwen2Pattern)};
constexpr Steps kO200kWords = {Match(kO200kPattern)};
constexpr Steps kDeepSeekV3Words = {Match(kUpToThreeDigits), Match(kHanAndKana),
                                    Match(kDeepSeekV3)};

constexpr std::array kSplittings = {
    Splitting{.pre = "gpt-2", .steps = kGpt2Words},
    Splitting{.pre = "phi-2", .steps = kGpt2Words},
    Splitting{.pre = "olmo", .steps = kGpt2Words, .nfc = true},
    Splitting{.pre = "mpt", .steps = kGpt2Words, .nfc = true},
    Splitting{.pre = "exaone4", .steps = kGpt2Words},
    Splitting{.pre = "jais", .steps = kGpt2Words},
    Splitting{.pre = "trillion", .steps = kGpt2Words},
    Splitting{.pre = "granite-docling", .steps = kGpt2Words},
    Splitting{.pre = "gigachat", .steps = kGpt2Words},
    Splitting{.pre = "a.x-4.0", .steps = kGpt2Words},
    Splitting{.pre = "mellum", .steps = kGpt2Words},
    Splitting{.pre = "smollm", .steps = kDigitsAndWords},
    Splitting{.pre = "starcoder", .steps = kDigitsAndWords},
    Splitting{.pre = "refact", .steps = kDigitsAndWords},
    Splitting{.pre = "codeshell", .steps = kDigitsAndWords},
    Splitting{.pre = "command-r", .steps = kDigitsAndWords, .nfc = true},
    Splitting{.pre = "exaone", .steps = kDigitsAndWords},
    Splitting{.pre = "minerva-7b", .steps = kDigitsAndWords},
    Splitting{.pre = "mellum2", .steps = kDigitsAndWords},
    Splitting{.pre = "llama-bpe", .steps = kLlama3Words, .whole_words = true, .bos = true},
    Splitting{.pre = "llama3", .steps = kLlama3Words, .whole_words = true, .bos = true},
    Splitting{.pre = "llama-v3", .steps = kLlama3Words, .whole_words = true, .bos = true},
    Splitting{.pre = "falcon3", .steps = kLlama3Words, .whole_words = true, .bos = true},
    Splitting{.pre = "falcon-h1", .steps = kLlama3Words, .whole_words = true, .bos = true},
    Splitting{.pre = "pixtral", .steps = kLlama3Words, .whole_words = true, .bos = true},
    Splitting{.pre = "midm-2.0", .steps = kLlama3Words, .whole_words = true, .bos = true},
    Splitting{.pre = "lfm2", .steps = kLlama3Words, .whole_words = true, .bos = true},
    Splitting{.pre = "dbrx", .steps = kLlama3Words},
    Splitting{.pre = "smaug-bpe", .steps = kLlama3Words},
    Splitting{.pre = "glm4", .steps = kLlama3Words},
    Splitting{.pre = "chatglm-bpe", .steps = kLlama3Words},
    Splitting{.pre = "jais-2", .steps = {Match(kJais2)}},
    Splitting{.pre = "minicpm5",
              .steps = {Match(kUpToThreeDigits), Match(kMinicpm5)},
              .whole_words = true},
    Splitting{.pre = "qwen2", .steps = kQwen2Words, .nfc = true},
    Splitting{.pre = "qwen35", .steps = {Match(kQwen35)}, .nfc = true},
    Splitting{.pre = "deepseek-r1-qwen", .steps = kQwen2Words},
    Splitting{.pre = "kormo", .steps = kQwen2Words},
    Splitting{.pre = "megrez", .steps = kQwen2Words},
    Splitting{.pre = "stablelm2", .steps = kQwen2Words},
    Splitting{.pre = "hunyuan", .steps = kQwen2Words},
    Splitting{.pre = "solar-open", .steps = kQwen2Words},
    Splitting{.pre = "grok-2", .steps = kQwen2Words},
    Splitting{.pre = "laguna", .steps = {Match(R"([^\n]+|[\n]+)"), Match(kQwen2Pattern)}},
    Splitting{.pre = "ufakzeka", .steps = {Match(kUfakzeka)}},
    Splitting{.pre = "bailingmoe", .steps = {Match(kBailing)}},
    Splitting{.pre = "bailingmoe2", .steps = {Match(kBailing)}},
    Splitting{.pre = "llada-moe", .steps = {Match(kBailing)}},
    Splitting{.pre = "seed-coder", .steps = {Match(kSeedCoder)}},
    Splitting{.pre = "exaone-moe", .steps = {Match(kExaoneMoe)}},
    Splitting{.pre = "gpt-4o", .steps = kO200kWords},
    Splitting{.pre = "llama4", .steps = kO200kWords},
    Splitting{.pre = "kanana2", .steps = kO200kWords},
    Splitting{.pre = "talkie", .steps = kO200kWords},
    Splitting{.pre = "minimax-m2", .steps = kO200kWords},
    Splitting{.pre = "tekken", .steps = {Match(kTekken)}, .whole_words = true, .bos = true},
    Splitting{.pre = "youtu", .steps = {Match(kYoutuScripts), Match(kYoutu)}, .whole_words = true},
    Splitting{.pre = "tiny_aya", .steps = {Match(kThreesOfDigits), Match(kO200kPattern)}},
    Splitting{.pre = "cohere2moe", .steps = {Match(kThreesOfDigits), Match(kO200kPattern)}},
    Splitting{.pre = "kimi-k2", .steps = {Match(kKimiK2)}},
    Splitting{.pre = "superbpe", .steps = {kNumbers, Match(kSuperThrees)}},
    Splitting{.pre = "deepseek-llm",
              .steps = {Match(kEachNewline), Match(kDeepSeekLetters), Match(kDeepSeekSigns),
                        Match(R"(\s+$)"), Match(kHanAndHangul), kNumbers}},
    Splitting{.pre = "deepseek-coder",
              .steps = {Match(kEachNewline), Match(R"(\s?\p{L}+)"), Match(R"(\s?\p{P}+)"),
                        Match(kHanAndHangul), kDigits}},
    Splitting{.pre = "deepseek-v3", .steps = kDeepSeekV3Words},
    Splitting{.pre = "hunyuan-dense", .steps = kDeepSeekV3Words},
    Splitting{.pre = "joyai-llm", .steps = kDeepSeekV3Words},
    Splitting{.pre = "hy_v4", .steps = kDeepSeekV3Words},
    Splitting{.pre = "spark2_5",
              .steps = {Match(kUpToThreeDigits), Match(kHanAndKana), Match(kSpark), kDigits}},
    Splitting{.pre = "afmoe",
              .steps = {Match(kThreesOfNumbers), Match(kAfmoeScripts), Match(kDeepSeekV3)}},
    Splitting{.pre = "falcon", .steps = {kPunctuation, kBytes, kNumbers, Match("[0-9][0-9][0-9]")}},
    Splitting{.pre = "bloom", .steps = {Match(kBloom)}},
    Splitting{.pre = "poro-chat", .steps = {Match(kBloom)}},
    Splitting{.pre = "gpt3-finnish", .steps = {Match(kBloom)}},
    Splitting{.pre = "viking", .steps = {Match(kBloom), kDigits}},
    Splitting{
        .pre = "chameleon",
        .steps = {Match("<sentinel:[0-9]+>"), Match("IMGIMG[A-I]{1,4}Z"),
                  Match(R"([\t\n]|    |  )"), kDigits, Match(R"([\p{P}!-/:-@\[-`{-~])"), kBytes},
        .bos = true},
};

json StepOf(const SplitStep& step) {
  switch (step.kind) {
    case SplitStep::kPattern:
      return {{"type", "Split"},
              {"pattern", {{"Regex", step.pattern}}},
              {"behavior", "Isolated"},
              {"invert", false}};
    case SplitStep::kDigits:
    case SplitStep::kNumbers:
      return {{"type", "Digits"}, {"individual_digits", step.kind == SplitStep::kDigits}};
    case SplitStep::kPunctuation:
      return {{"type", "Punctuation"}, {"behavior", "Contiguous"}};
    default:
      return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}};
  }
}

}  // namespace

const Splitting* FindSplitting(std::string_view pre) {
  const auto found = std::ranges::find(kSplittings, pre, &Splitting::pre);
  return found == kSplittings.end() ? nullptr : &*found;
}

std::string KnownSplittings() {
  std::string names;
  for (const Splitting& splitting : kSplittings) {
    names += (names.empty() ? "" : ", ") + std::string(splitting.pre);
  }
  return names;
}

json PreTokenizerOf(const Splitting& splitting) {
  json steps = json::array();
  bool bytes = false;
  for (const SplitStep& step : splitting.steps) {
    if (step.kind == SplitStep::kNone) break;
    steps.push_back(StepOf(step));
    bytes = bytes || step.kind == SplitStep::kBytes;
  }
  if (!bytes) {
    steps.push_back({{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}});
  }
  return {{"type", "Sequence"}, {"pretokenizers", steps}};
}

}  // namespace rondo::convert
