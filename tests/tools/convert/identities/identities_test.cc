// Which identities the operators of an architecture have, and what restricts them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/tools/convert/architectures/read_config.h"
#include "tools/convert/identities/identity.h"

namespace rondo::convert::identities_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::IsSupersetOf;
using testing::Key;
using testing::Not;
using testing::Pair;

// Their restrictions, by their names.
std::map<std::string, std::string> Restrictions(const std::string& architecture,
                                                const std::string& differs = "{}") {
  std::map<std::string, std::string> restrictions;
  for (const Identity& identity : FindIdentities(Read(architecture, differs))) {
    EXPECT_TRUE(restrictions.emplace(identity.name, identity.restriction).second) << identity.name;
  }
  return restrictions;
}

TEST(IdentitiesTest, OfLlama) {
  const auto found = Restrictions("LlamaForCausalLM");
  EXPECT_THAT(found, IsSupersetOf({Pair("layers.0.attention.norm", std::string()),
                                   Pair("layers.0.mlp.norm", std::string()),
                                   Pair("layers.3.attention.keys", std::string()),
                                   Pair("layers.3.attention.values", std::string()),
                                   Pair("layers.3.mlp", std::string()),
                                   Pair("final_norm", std::string())}));
  EXPECT_EQ(found.size(), 4u * 5 + 1);  // of a layer two are norms'
}

TEST(IdentitiesTest, ATiedHeadLeavesTheFinalNorm) {
  EXPECT_THAT(Restrictions("LlamaForCausalLM", R"({"tie_word_embeddings": true})"),
              Contains(Pair("final_norm", "the head is the embedding")));
}

TEST(IdentitiesTest, ActivationsThatLetNoFactorThrough) {
  EXPECT_THAT(Restrictions("PhiForCausalLM"),
              Contains(Pair("layers.0.mlp", "its activation lets no factor through")));
  const auto squared = FindIdentities(Read("NemotronForCausalLM", "{}"));
  const auto mlp = std::ranges::find(squared, "layers.0.mlp", &Identity::name);
  ASSERT_NE(mlp, squared.end());
  EXPECT_EQ(mlp->restriction, std::string());
  EXPECT_EQ(mlp->degree, 2);
}

TEST(IdentitiesTest, WhatIsClippedKeepsItsScale) {
  const auto found = Restrictions("OlmoForCausalLM", R"({"clip_qkv": 8.0})");
  EXPECT_THAT(found, Contains(Pair("layers.0.attention.keys", "queries or keys are clipped")));
  EXPECT_THAT(found, Contains(Pair("layers.0.attention.values", "values are clipped")));
}

// An assistant reads the last keys and values of either kind, and what the final norm makes.
TEST(IdentitiesTest, WhatAssistantsMayReadStays) {
  const std::string sizes = R"("sliding_window": 16, "global_head_dim": 8,
      "hidden_size_per_layer_input": 0, "num_kv_shared_layers": 0, "tie_word_embeddings": false,
      "layer_types": ["sliding_attention", "sliding_attention", "full_attention",
      "full_attention"])";
  const std::string assistants = "an assistant may read it, too";
  const auto found = Restrictions("Gemma4ForCausalLM", "{" + sizes + "}");
  EXPECT_THAT(found, IsSupersetOf({Pair("layers.0.attention.keys", std::string()),
                                   Pair("layers.1.attention.keys", assistants),
                                   Pair("layers.2.attention.values", std::string()),
                                   Pair("layers.3.attention.values", assistants),
                                   Pair("final_norm", assistants)}));
}

TEST(IdentitiesTest, KeysThatLaterLayersReadAreTheirs) {
  const auto found = FindIdentities(Read("Gemma3nForCausalLM", R"({"num_kv_shared_layers": 2,
      "intermediate_size": 48, "hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 64,
      "sliding_window": 16, "laurel_rank": 8, "layer_types": ["sliding_attention",
      "full_attention", "sliding_attention", "full_attention"]})"));
  std::map<std::string, const Identity*> by_name;
  for (const Identity& identity : found) by_name[identity.name] = &identity;
  ASSERT_THAT(by_name, AllOf(Contains(Key("layers.0.attention.keys")),
                             Not(Contains(Key("layers.2.attention.keys")))));
  // The outputs of 4 heads in two layers.
  EXPECT_EQ(by_name.at("layers.0.attention.values")->shrinks.size(), 8u);
  EXPECT_EQ(by_name.at("layers.0.attention.norm")->restriction,
            "what the norm makes is also added to the stream");
}

}  // namespace
}  // namespace rondo::convert::identities_test
