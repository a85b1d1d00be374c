// PeftConfig: adapter_config.json, as PEFT follows it: which modules have a part in an adapter, and
// with which numbers.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tools/convert/sources/config.h"
#include "tools/convert/sources/peft/python_pattern.h"

namespace rondo::convert {

// Modules are called as in the model. Everything throws Error, naming the file and the key. What
// would change the model in another way than by low-rank products and whole tensors is refused by
// name.
class PeftConfig {
 public:
  explicit PeftConfig(const std::filesystem::path& path);
  PeftConfig(const PeftConfig&) = delete;
  PeftConfig& operator=(const PeftConfig&) = delete;

  // PEFT puts low-rank products beside this module; the tensors of others it does not read.
  bool Targets(const std::string& module) const;
  // The same, for parameters that belong to no linear module: their names below `module`, in the
  // order in which PEFT wraps them.
  std::vector<std::string> ParametersOf(const std::string& module) const;
  // The module was trained whole, and is a copy of its own.
  bool Saves(const std::string& module) const;

  // `called`: the module or parameter.
  uint64_t RankOf(const std::string& called) const;
  double ScaleOf(const std::string& called, uint64_t rank) const;

  // What is tied to a module that has a part in the adapter has the same one.
  bool ties() const { return ties_; }

 private:
  using Numbers = std::vector<std::pair<PythonPattern, double>>;

  void Refuse() const;
  Numbers ReadNumbers(const char* key, const nlohmann::ordered_json& document) const;
  std::vector<PythonPattern> ReadPatterns(const char* key, const char* before,
                                          const char* behind) const;
  bool InLayer(const std::string& module) const;

  const Config config_;
  Numbers ranks_, alphas_;               // in the order of the file
  std::vector<PythonPattern> saved_;     // modules_to_save
  std::vector<PythonPattern> targets_;   // target_modules, where that is one pattern
  std::vector<PythonPattern> excluded_;  // exclude_modules, likewise
  std::vector<PythonPattern> layers_;    // where a name has its layer's number
  uint64_t rank_;
  double alpha_;
  bool ties_, rank_stabilised_;
};

}  // namespace rondo::convert
