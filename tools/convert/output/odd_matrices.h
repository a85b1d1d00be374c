// OddMatrices: those that few bits cost far more than the model's others, for the report's notes.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/convert/output/taken.h"

namespace rondo::convert {

class OddMatrices {
 public:
  // `lost`: StoredTensor's.
  void Add(const std::string& name, const Encoding& encoding, double lost);
  // A sentence for each format that has such matrices.
  std::vector<std::string> Notes() const;

 private:
  std::map<std::string, std::vector<std::pair<double, std::string>>> by_format_;
};

}  // namespace rondo::convert
