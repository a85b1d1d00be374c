// Speculation changes no token: whatever is proposed, and whatever calls come between, a session
// gives the events of one that proposes nothing, to the bit.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "runtime/generation/grammar_vocabulary.h"
#include "tests/support/combinations.h"
#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo {
namespace {

struct Architecture {
  const char* name;
  const char* config;               // null: the model with a tokenizer in tests/data
  bool draft_head = false;          // it has one, which proposes in place of prompt lookup
  const char* assistant = nullptr;  // config of what does
};

constexpr Architecture kArchitectures[] = {
    {"tiny", nullptr},
    {"llama", R"("architectures": ["LlamaForCausalLM"])"},
    {"gemma3", R"("architectures": ["Gemma3ForCausalLM"], "head_dim": 16, "sliding_window": 20,
      "sliding_window_pattern": 2, "rope_local_base_freq": 100.0)"},
    {"phi3_long", R"("architectures": ["Phi3ForCausalLM"],
      "original_max_position_embeddings": 150, "rope_scaling": {"type": "longrope",
      "short_factor": [1, 1.1, 1.2, 1.3], "long_factor": [2, 3, 4, 5]})"},
    {"qwen3_5", R"("architectures": ["Qwen3_5ForCausalLM"], "head_dim": 16,
      "layer_types": ["linear_attention", "full_attention", "linear_attention"],
      "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 16,
      "linear_value_head_dim": 16)"},
    {"mamba2", R"("architectures": ["Mamba2ForCausalLM"], "num_heads": 4, "head_dim": 16,
      "n_groups": 1, "state_size": 16)"},
    {"lfm2", R"("architectures": ["Lfm2ForCausalLM"], "conv_bias": true, "conv_L_cache": 4,
      "layer_types": ["conv", "full_attention", "conv"])"},
    {"mixtral", R"("architectures": ["MixtralForCausalLM"], "num_local_experts": 5,
      "num_experts_per_tok": 2, "sliding_window": 33)"},
    {"qwen3_5_head", R"("architectures": ["Qwen3_5ForCausalLM"], "head_dim": 16,
      "layer_types": ["linear_attention", "full_attention", "linear_attention"],
      "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 16,
      "linear_value_head_dim": 16)",
     true},
    {"glm4_head", R"("architectures": ["Glm4MoeForCausalLM"], "head_dim": 16, "n_group": 1,
      "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24,
      "topk_group": 1, "n_shared_experts": 1, "first_k_dense_replace": 1,
      "num_nextn_predict_layers": 1)",
     true},
    {"gemma4_assisted", R"("architectures": ["Gemma4ForCausalLM"], "head_dim": 8,
      "global_head_dim": 16, "sliding_window": 20, "hidden_size_per_layer_input": 0,
      "layer_types": ["full_attention", "sliding_attention", "full_attention"])",
     false, R"("architectures": ["Gemma4AssistantForCausalLM"], "backbone_hidden_size": 32,
      "text_config": {"vocab_size": 97, "hidden_size": 32, "intermediate_size": 48,
      "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
      "global_head_dim": 16, "sliding_window": 20, "hidden_size_per_layer_input": 0,
      "max_position_embeddings": 400,
      "layer_types": ["sliding_attention", "full_attention"]})"},
};

struct Case {
  Architecture architecture;
  KvFormat kv;
  const KernelSet* set;
  bool slides;
  bool draft_model;  // it proposes, in place of prompt lookup
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const bool slow : {false, true}) {
    const std::vector<const KernelSet*> sets = AvailableKernels(slow);
    for (const Choice& c : Choices({std::size(kArchitectures), 2, sets.size(), 2, 2})) {
      cases.push_back({kArchitectures[c[0]], c[1] == 0 ? KvFormat::kInt8 : KvFormat::kFloat32,
                       sets[c[2]], c[3] == 1, c[4] == 1});
    }
  }
  return cases;
}

std::string Name(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return std::string(c.architecture.name) + (c.kv == KvFormat::kInt8 ? "_q8_" : "_f32_") +
         c.set->name + (c.slides ? "_slide" : "_stop") +
         (c.draft_model                                                      ? "_draft"
          : c.architecture.draft_head || c.architecture.assistant != nullptr ? ""
                                                                             : "_lookup");
}

// What an event tells, to compare.
std::string Described(const Result<TokenEvent>& event) {
  if (!event.ok()) return "status " + std::to_string(static_cast<int>(event.status().code()));
  uint32_t bits;
  std::memcpy(&bits, &event->logprob, sizeof bits);
  std::string said = std::to_string(event->token) + " logprob " + std::to_string(bits) +
                     " reason " + std::to_string(static_cast<int>(event->reason)) +
                     (event->is_thought ? " thought" : "") + " bytes ";
  said.append(event->bytes).append(" text ").append(event->text);
  return said;
}

class Speculation : public testing::TestWithParam<Case> {
 protected:
  static constexpr size_t kSessions = 3;

  // A session that proposes nothing and one that does, and their options.
  struct Pair {
    Session* plain = nullptr;
    Session* drafting = nullptr;
    SessionOptions options;
  };

  Speculation() {
    const Case& c = GetParam();
    std::filesystem::path checkpoint = TestData("tiny");
    if (c.architecture.config != nullptr) {
      const std::string json =
          std::string(R"({"vocab_size": 97, "hidden_size": 32, "intermediate_size": 48,
            "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
            "max_position_embeddings": 400, "eos_token_id": 5, )") +
          c.architecture.config + "}";
      checkpoint = folder_ / "model";
      const bool guesses = c.architecture.draft_head || c.architecture.assistant != nullptr;
      const auto write =
          guesses ? convert::WriteCheckpointWithDraftHead : convert::WriteCheckpointOf;
      write(checkpoint, nlohmann::json::parse(json).dump());
    }
    model_ = std::make_unique<TestModel>(checkpoint, format::TensorFormat::Q8, 32,
                                         c.architecture.draft_head);
    // Right as a rule, and not always.
    if (IsAssisted()) {
      const std::string json = "{" + std::string(c.architecture.assistant) + "}";
      checkpoint = folder_ / "assistant";
      convert::WriteCheckpointWithDraftHead(checkpoint, nlohmann::json::parse(json).dump());
    }
    draft_ = std::make_unique<TestModel>(checkpoint, format::TensorFormat::Q4B);
    vocab_ = c.architecture.config == nullptr ? 2048 : 97;
    if (model_->tokenizer() != nullptr) MakeGrammars();
  }

  EngineOptions Options(uint32_t seed) const {
    EngineOptions options;
    options.context = GetParam().slides ? 128 : 300;
    options.policy = GetParam().slides ? ContextPolicy::kSlide : ContextPolicy::kStop;
    const uint32_t rows[] = {24, 5, 1, 64};
    options.max_rows = rows[seed % std::size(rows)];
    options.max_sessions = kSessions + 1;
    options.threads = 1 + seed / 2 % 2;
    options.kv_format = GetParam().kv;
    options.kernels = GetParam().set->name;
    return options;
  }

  bool IsAssisted() const {
    return GetParam().architecture.assistant != nullptr && !GetParam().draft_model;
  }
  bool HasDraft() const { return GetParam().draft_model || IsAssisted(); }
  bool HasHead() const { return GetParam().architecture.draft_head; }

  rondo::Speculation Proposer() const {
    if (HasDraft()) return rondo::Speculation::kDraftModel;
    return HasHead() ? rondo::Speculation::kDraftHead : rondo::Speculation::kPromptLookup;
  }

  SessionOptions Sampling(std::mt19937* random) {
    static const std::string_view stops[] = {"the", "e a", "."};
    static const LogitBias biases[] = {{7, 3.0f}, {11, -2.0f}, {13, 1.5f}};
    SessionOptions options;
    options.sampler.seed = (*random)();
    options.sampler.temperature = (*random)() % 2 == 0 ? 0.0f : 1.2f;
    if ((*random)() % 2 == 0) options.sampler.top_k = 8;
    if ((*random)() % 3 == 0) options.sampler.repetition_penalty = 1.3f;
    if ((*random)() % 3 == 0) options.sampler.frequency_penalty = 0.2f;
    if ((*random)() % 4 == 0) options.sampler.no_repeat_ngram_size = 3;
    if ((*random)() % 3 == 0) options.sampler.logit_bias = biases;
    options.ignore_eos = (*random)() % 2 == 0;
    options.logprobs = (*random)() % 2 == 0;
    if ((*random)() % 3 == 0) options.max_tokens = 10 + (*random)() % 40;
    if (model_->tokenizer() != nullptr && (*random)() % 2 == 0) options.stop_strings = stops;
    if (model_->tokenizer() != nullptr && (*random)() % 2 == 0) {
      options.constraint = Constrained(random);
    }
    return options;
  }

  // Grammars that begin in all ways, and thoughts of words that the model says.
  ConstraintOptions Constrained(std::mt19937* random) const {
    ConstraintOptions options;
    options.begin = static_cast<GrammarBegin>((*random)() % 3);
    options.token = static_cast<int32_t>((*random)() % 7);
    options.goes_on = (*random)() % 2 == 0;
    if ((*random)() % 4 != 0) options.grammar = grammars_[(*random)() % grammars_.size()].get();
    if (options.begin == GrammarBegin::kAfterThinking || (*random)() % 2 == 0) {
      options.thinking = {true, "a", " the.\n", (*random)() % 3 * 4};
    }
    return options;
  }

  struct End {
    void operator()(grammar::Grammar* grammar) const { std::destroy_at(grammar); }
  };
  void MakeGrammars() {
    auto trie = grammar::TokenTrie::Create(GrammarVocabulary(*model_->tokenizer(), vocab_));
    ASSERT_TRUE(trie.ok());
    trie_ = std::move(*trie);
    for (const auto& [kind, text] :
         {std::pair(grammar::GrammarKind::kJsonSchema, R"({"items": {"enum": ["the dog", 7]}})"),
          {grammar::GrammarKind::kPattern, "(the cat|[a-z ]{3,30})(, and so on)*[.!]"}}) {
      const grammar::GrammarOptions options = {.kind = kind, .bytes = uint64_t{1} << 20};
      const size_t size =
          grammar::Grammar::Bytes(options, std::strlen(text), trie_.mask_words()) / 64 + 1;
      grammar_memory_.emplace_back(size);
      const auto made = grammar::Grammar::Create(
          options, text, trie_, kEnds,
          {reinterpret_cast<uint8_t*>(grammar_memory_.back().data()), 64 * size});
      ASSERT_TRUE(made.ok()) << made.status().message();
      grammars_.emplace_back(*made);
    }
  }

  std::vector<int32_t> Ids(std::mt19937* random, size_t n) const {
    std::vector<int32_t> ids(n);
    // Few different ones, so that n-grams come again.
    for (int32_t& id : ids)
      id = static_cast<int32_t>((*random)() % 7 + ((*random)() % 9 == 0) * 20);
    return ids;
  }

  // What will come, as another session like the plain one tells; some of it made wrong.
  void Propose(const Pair& pair, Engine* plain, std::mt19937* random) {
    const auto fork = plain->ForkSession(*pair.plain, pair.options);
    ASSERT_TRUE(fork.ok()) << fork.status().message();
    std::vector<int32_t> drafts;
    while (drafts.size() < TokenChoices::kMostDrafts) {
      const auto event = (*fork)->Next();
      if (!event.ok() || event->token < 0) break;
      drafts.push_back(event->token);
      if (event->reason == FinishReason::kEos) break;
    }
    plain->CloseSession(*fork);
    for (int32_t& draft : drafts) {
      if ((*random)() % 5 == 0) draft = static_cast<int32_t>((*random)() % vocab_);
    }
    ASSERT_TRUE(pair.drafting->Propose(drafts).ok());
  }

  void Compare(const Pair& pair) const {
    EXPECT_EQ(pair.plain->position(), pair.drafting->position());
    EXPECT_EQ(pair.plain->remaining(), pair.drafting->remaining());
    ASSERT_EQ(pair.plain->keys().begin(), pair.drafting->keys().begin());
    for (uint64_t i = pair.plain->keys().begin(); i < pair.plain->position(); ++i) {
      ASSERT_EQ(pair.plain->keys()[i], pair.drafting->keys()[i]) << "position " << i;
    }
  }

  // Steps of several sessions until each has `n` events. With `random` a step is asked for several
  // of them, as it may bring several.
  static std::vector<std::vector<std::string>> Events(Engine* engine,
                                                      std::span<Session* const> sessions, size_t n,
                                                      std::mt19937* random) {
    std::vector<std::vector<std::string>> events(sessions.size());
    while (true) {
      std::vector<Session*> waiting;
      for (size_t i = 0; i < sessions.size(); ++i) {
        if (events[i].size() < n) waiting.push_back(sessions[i]);
      }
      if (waiting.empty()) return events;
      const Status status = Session::Step(engine, waiting);
      EXPECT_TRUE(status.ok()) << status.message();
      if (!status.ok()) return events;
      for (size_t i = 0; i < sessions.size(); ++i) {
        bool asks = events[i].size() < n;
        while (asks) {
          const auto event = sessions[i]->TakeEvent();
          const bool goes_on = event.ok() && event->reason == FinishReason::kNone;
          if (goes_on && event->token < 0) break;
          events[i].push_back(Described(event));
          asks = goes_on && events[i].size() < n && random != nullptr && (*random)() % 3 != 0;
        }
      }
    }
  }

  // A call that changes both sessions of a pair alike.
  void Change(std::vector<Pair>* pairs, size_t which, Engine* plain, Engine* drafting,
              std::mt19937* random) {
    Pair& pair = (*pairs)[which];
    const auto both = [&](const auto& call) {
      const Status a = call(pair.plain), b = call(pair.drafting);
      ASSERT_EQ(a.code(), b.code()) << a.message() << " / " << b.message();
    };
    switch ((*random)() % 9) {
      case 0: {
        const auto ids = Ids(random, 1 + (*random)() % 50);
        both([&](Session* s) { return s->Prefill(ids); });
        break;
      }
      case 1: {
        const auto ids = Ids(random, 1 + (*random)() % 50);
        both([&](Session* s) { return s->Queue(ids); });
        break;
      }
      case 2: {
        const auto id = static_cast<int32_t>((*random)() % vocab_);
        both([&](Session* s) { return s->Accept(id); });
        ASSERT_EQ(Described(pair.plain->TakeEvent()), Described(pair.drafting->TakeEvent()));
        break;
      }
      case 3: {
        const uint64_t n = (*random)() % 12;
        both([&](Session* s) { return s->Undo(n); });
        break;
      }
      case 4:
        pair.plain->Reset();
        pair.drafting->Reset();
        both([&](Session* s) { return s->Prefill(kBegin); });
        break;
      case 5: {
        const auto a = pair.plain->Logits(), b = pair.drafting->Logits();
        ASSERT_EQ(a.ok(), b.ok());
        if (a.ok()) {
          ASSERT_EQ(std::memcmp(a->data(), b->data(), a->size_bytes()), 0);
        }
        break;
      }
      case 6: {  // becomes a fork of another, or of itself
        const Pair other = (*pairs)[(*random)() % kSessions];
        Pair forks = {nullptr, nullptr, Sampling(random)};
        const auto fork = [&](Engine* engine, const Session& of) {
          SessionOptions options = forks.options;
          options.speculation = engine == drafting ? Proposer() : rondo::Speculation::kNone;
          const auto session = engine->ForkSession(of, options);
          EXPECT_TRUE(session.ok()) << session.status().message();
          return session.ok() ? *session : nullptr;
        };
        forks.plain = fork(plain, *other.plain);
        forks.drafting = fork(drafting, *other.drafting);
        ASSERT_TRUE(forks.plain != nullptr && forks.drafting != nullptr);
        plain->CloseSession(pair.plain);
        drafting->CloseSession(pair.drafting);
        pair = forks;
        break;
      }
      case 7: {  // each becomes what the other was
        size_t bytes = 0;
        (void)pair.plain->Save({}, &bytes);
        std::vector<uint8_t> a(bytes);
        ASSERT_TRUE(pair.plain->Save(a, &bytes).ok());
        (void)pair.drafting->Save({}, &bytes);
        std::vector<uint8_t> b(bytes);
        ASSERT_TRUE(pair.drafting->Save(b, &bytes).ok());
        if (HasHead()) std::swap(a, b);  // its KV is in the snapshot: each what it was itself
        const Status status = pair.drafting->Restore(a);
        ASSERT_TRUE(status.ok()) << status.message();
        ASSERT_TRUE(pair.plain->Restore(b).ok());
        break;
      }
      default:
        pair.plain->Cancel();
        pair.drafting->Cancel();
    }
  }

  void Run(uint32_t seed) {
    std::mt19937 random(seed);
    EngineOptions options = Options(seed);
    const auto plain = model_->NewEngine(options);
    options.draft_head = HasHead();
    if (HasDraft()) options.draft = {&draft_->file(), draft_->tokenizer()};
    const auto drafting = model_->NewEngine(options);
    std::vector<Pair> pairs(kSessions);
    for (Pair& pair : pairs) {
      pair.options = Sampling(&random);
      pair.plain = NewSession(*plain, pair.options);
      SessionOptions looks_up = pair.options;
      looks_up.speculation = Proposer();
      pair.drafting = NewSession(*drafting, looks_up);
      const auto ids = Ids(&random, 20 + random() % 60);
      ASSERT_TRUE(pair.plain->Prefill(ids).ok());
      ASSERT_TRUE(pair.drafting->Prefill(ids).ok());
    }
    for (int round = 0; round < 60; ++round) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round));
      std::vector<Session*> a, b;
      for (size_t i = 0; i < kSessions; ++i) {
        if (random() % 4 == 0) Change(&pairs, i, plain.get(), drafting.get(), &random);
        if (HasFatalFailure()) return;
        Pair& pair = pairs[i];
        if (pair.plain->remaining() < 12) {
          ASSERT_TRUE(pair.plain->Undo(pair.plain->position() - 20).ok());
          ASSERT_TRUE(pair.drafting->Undo(pair.drafting->position() - 20).ok());
        }
        if (random() % 8 == 0) continue;
        const uint32_t chance = random() % 12;
        if (chance < (HasDraft() || HasHead() ? 1 : 8)) Propose(pair, plain.get(), &random);
        if (HasFatalFailure()) return;
        a.push_back(pair.plain);
        b.push_back(pair.drafting);
      }
      const size_t n = random() % 6;
      ASSERT_EQ(Events(plain.get(), a, n, nullptr), Events(drafting.get(), b, n, &random));
      for (const Pair& pair : pairs) Compare(pair);
      if (HasFatalFailure()) return;
    }
    accepted_ += drafting->stats().drafts_accepted;
    proposed_ += drafting->stats().drafts_proposed;
    // But for what a grammar or the end of a thought leaves no choice of.
    EXPECT_TRUE(model_->tokenizer() != nullptr || plain->stats().drafts_proposed == 0);
  }

  const std::vector<int32_t> kBegin = {1, 2, 3};
  const TempFolder folder_;
  std::unique_ptr<TestModel> model_, draft_;
  uint32_t vocab_ = 0;
  static constexpr uint32_t kEnds[] = {2};
  grammar::TokenTrie trie_;
  struct alignas(64) Line {
    std::array<uint8_t, 64> bytes;
  };
  std::vector<std::vector<Line>> grammar_memory_;
  std::vector<std::unique_ptr<grammar::Grammar, End>> grammars_;
  uint64_t accepted_ = 0;
  uint64_t proposed_ = 0;
};

TEST_P(Speculation, ChangesNoToken) {
  for (uint32_t seed = 0; seed < 8; ++seed) {
    Run(seed);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(accepted_, 100u);
  EXPECT_GT(proposed_, accepted_);
  RecordProperty("accepted", std::to_string(accepted_));
}

INSTANTIATE_TEST_SUITE_P(All, Speculation, testing::ValuesIn(Cases()), Name);

}  // namespace
}  // namespace rondo
