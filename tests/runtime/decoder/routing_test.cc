#include "runtime/decoder/routing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <vector>

namespace rondo::routing_test {
namespace {

std::vector<Route> RoutesOf(const ExpertsSpec& spec, const std::vector<float>& scores,
                            const float* choice_bias = nullptr,
                            const float* weight_scales = nullptr) {
  std::vector<float> row = scores;
  row.resize(spec.score_floats() + kOverRead);
  std::vector<Route> routes(spec.n_used);
  RouteRow(*SelectKernelSet(""), spec, choice_bias, weight_scales, row.data(), routes.data());
  return routes;
}

TEST(RouteRow, TakesTheLargestSharesAndOfEqualsTheFirst) {
  const std::vector<float> scores = {1.0f, 3.0f, 2.0f, 3.0f, -1.0f};
  double total = 0, used = 0;
  for (const float score : scores) total += std::exp(static_cast<double>(score));
  for (const int i : {1, 3, 2}) used += std::exp(static_cast<double>(scores[i]));
  for (const bool normalize : {false, true}) {
    ExpertsSpec spec;
    spec.n_experts = scores.size();
    spec.n_used = 3;
    spec.normalize = normalize;
    const std::vector<Route> routes = RoutesOf(spec, scores);
    const uint32_t expected[] = {1, 3, 2};
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(routes[i].expert, expected[i]);
      EXPECT_NEAR(routes[i].weight,
                  std::exp(static_cast<double>(scores[expected[i]])) / (normalize ? used : total),
                  1e-6);
    }
  }
}

struct Case {
  const char* name;
  std::function<void(ExpertsSpec&)> change;
};

const std::vector<Case> kCases = {
    {"Softmax", [](ExpertsSpec&) {}},
    {"Normalized", [](ExpertsSpec& s) { s.normalize = true; }},
    {"Sigmoid", [](ExpertsSpec& s) { s.scoring = Scoring::kSigmoid; }},
    {"LeastSum",
     [](ExpertsSpec& s) {
       s.normalize = true;
       s.normalize_min = 0.75f;
     }},
    {"SigmoidWithEpsilonAndScale",
     [](ExpertsSpec& s) {
       s.scoring = Scoring::kSigmoid;
       s.normalize = true;
       s.normalize_epsilon = 0.125f;
       s.weight_scale = 2.5f;
     }},
    {"GroupsByTheBest",
     [](ExpertsSpec& s) {
       s.n_groups = 4;
       s.n_groups_used = 2;
       s.group_best = 1;
     }},
    {"GroupsByTheTwoBest",
     [](ExpertsSpec& s) {
       s.scoring = Scoring::kSigmoid;
       s.n_groups = 3;
       s.n_groups_used = 1;
       s.group_best = 2;
     }},
    {"SparseMixer",
     [](ExpertsSpec& s) {
       s.scoring = Scoring::kSparseMixer;
       s.n_used = 2;
       s.jitter = 0.25f;
     }},
};

class Routing : public testing::TestWithParam<Case> {
 protected:
  Routing() {
    spec_.n_experts = 12;
    spec_.n_used = 3;
    GetParam().change(spec_);
  }
  ExpertsSpec spec_;
};

// Sorted by what is chosen by; of equals the first comes first.
std::vector<size_t> Sorted(const std::vector<double>& choices) {
  std::vector<size_t> order(choices.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return choices[a] > choices[b]; });
  return order;
}

// By the formulas of rondo.fbs, one after another.
std::vector<std::pair<size_t, double>> Expected(const ExpertsSpec& spec,
                                                const std::vector<float>& s,
                                                const std::vector<float>* bias,
                                                const std::vector<float>* scales) {
  const size_t n = s.size();
  std::vector<double> scores(n), choices(n);
  double all = 0;
  for (const float x : s) all += std::exp(double{x});
  for (size_t e = 0; e < n; ++e) {
    scores[e] = spec.scoring == Scoring::kSoftmax   ? std::exp(double{s[e]}) / all
                : spec.scoring == Scoring::kSigmoid ? 1 / (1 + std::exp(-double{s[e]}))
                                                    : s[e];
    choices[e] = scores[e] + (bias == nullptr ? 0 : (*bias)[e]);
  }
  if (spec.n_groups > 0) {
    const size_t size = n / spec.n_groups;
    std::vector<double> groups;
    for (size_t g = 0; g < spec.n_groups; ++g) {
      std::vector<double> its(choices.begin() + static_cast<long>(g * size),
                              choices.begin() + static_cast<long>((g + 1) * size));
      std::sort(its.rbegin(), its.rend());
      groups.push_back(its[0] + (spec.group_best == 2 ? its[1] : 0));
    }
    const std::vector<size_t> order = Sorted(groups);
    for (size_t i = spec.n_groups_used; i < spec.n_groups; ++i) {
      for (size_t e = 0; e < size; ++e) choices[order[i] * size + e] = -INFINITY;
    }
  }
  const std::vector<size_t> order = Sorted(choices);
  double sum = 0;
  for (size_t i = 0; i < spec.n_used; ++i) sum += scores[order[i]];
  const double whole =
      spec.normalize ? std::max<double>(sum + spec.normalize_epsilon, spec.normalize_min) : 1;
  std::vector<std::pair<size_t, double>> routes;
  for (size_t i = 0; i < spec.n_used; ++i) {
    double weight = scores[order[i]];
    if (spec.scoring == Scoring::kSparseMixer) {
      double total = 0;
      for (size_t e = 0; e < n; ++e) {
        if (i == 1 && e == order[0]) continue;
        const double m = scores[order[i]];
        const bool out = (m - scores[e]) / std::max(std::abs(scores[e]), m) > 2 * spec.jitter;
        if (!out) total += std::exp(scores[e] - m);
      }
      weight = 1 / total;
    }
    routes.emplace_back(order[i], weight / whole * spec.weight_scale *
                                      (scales == nullptr ? 1 : (*scales)[order[i]]));
  }
  return routes;
}

TEST_P(Routing, IsThatOfTheFormulas) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<float> scores(12), bias(12), scales(12);
    for (float& x : scores) x = 2 * normal(random);
    for (float& x : bias) x = 0.3f * normal(random);
    for (float& x : scales) x = 1 + 0.3f * normal(random);
    const bool plain = trial % 2 == 0;
    const auto routes =
        RoutesOf(spec_, scores, plain ? nullptr : bias.data(), plain ? nullptr : scales.data());
    const auto expected =
        Expected(spec_, scores, plain ? nullptr : &bias, plain ? nullptr : &scales);
    for (size_t i = 0; i < spec_.n_used; ++i) {
      EXPECT_EQ(routes[i].expert, expected[i].first) << trial;
      EXPECT_NEAR(routes[i].weight, expected[i].second, 1e-6 * std::abs(expected[i].second) + 1e-7);
    }
  }
}

// A model of odd weights may give scores that are no numbers: the routes are different experts all
// the same.
TEST_P(Routing, StaysAmongTheExperts) {
  for (const float odd : {NAN, INFINITY, -INFINITY, 3e38f, -3e38f}) {
    for (const size_t odd_ones : {1u, 6u, 12u}) {
      std::vector<float> scores(12, 0.5f), bias(12, -3e38f);
      std::fill_n(scores.begin(), odd_ones, odd);
      for (const float* biased : std::initializer_list<const float*>{nullptr, bias.data()}) {
        std::set<uint32_t> chosen;
        for (const Route& route : RoutesOf(spec_, scores, biased)) chosen.insert(route.expert);
        EXPECT_EQ(chosen.size(), spec_.n_used);
        EXPECT_LT(*chosen.rbegin(), 12u);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Routing, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(GroupByExpert, KeepsTheOrderOfRows) {
  const Route routes[] = {{2, 0}, {0, 0}, {2, 0}, {1, 0}, {0, 0}, {2, 0}};
  uint32_t begin[5], order[6];
  GroupByExpert(routes, 6, 4, begin, order);
  EXPECT_EQ(std::vector<uint32_t>(begin, begin + 5), std::vector<uint32_t>({0, 2, 3, 6, 6}));
  EXPECT_EQ(std::vector<uint32_t>(order, order + 6), std::vector<uint32_t>({1, 4, 3, 0, 2, 5}));
}

}  // namespace
}  // namespace rondo::routing_test
