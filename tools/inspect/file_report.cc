#include "tools/inspect/file_report.h"

#include <cstdio>

#include "runtime/model/tensor_view.h"
#include "tools/common/interrupt.h"
#include "tools/common/library.h"
#include "tools/common/numbers.h"
#include "tools/common/printable.h"
#include "tools/common/sampling.h"
#include "tools/inspect/mapped_model.h"
#include "tools/inspect/report_row.h"

namespace rondo::tools {
namespace {

// The names of the model's chat templates.
std::string ChatTemplates(const Model& model) {
  std::string names;
  for (const std::string& name : ChatTemplateNames(model)) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names.empty() ? "none" : names;
}

// What the model's makers recommend.
std::string RecommendedSampling(const Model& model) {
  SessionOptions none;
  none.recommended = false;
  const std::string recommended = DescribeSampling(model, {});
  const bool is_default = recommended == DescribeSampling(model, none);
  return is_default ? "none recommended: " + recommended : recommended;
}

}  // namespace

std::string DescribeModel(const Model& model) {
  const rondo_model_facts facts = model.Info();
  std::string out;
  for (const char* key : {"name", "architecture", "producer"}) Row(key, Fact(model, key), &out);
  Row("file",
      FormatBytes(facts.file_bytes) + ", format version " + std::to_string(facts.format_version),
      &out);
  Row("parameters", FormatCount(facts.parameters), &out);
  Row("context length", FormatCount(facts.context_length), &out);
  Row("vocabulary",
      FormatCount(facts.vocab_size) +
          (facts.has_tokenizer != 0
               ? ", " + FormatBytes(facts.tokenizer_bytes) + " for its tokenizer to work in"
               : " (no tokenizer: token ids only)"),
      &out);
  Row("hidden size", FormatCount(facts.hidden_size), &out);
  Row("layers", std::to_string(facts.n_layers), &out);
  Row("heads",
      std::to_string(facts.n_heads) + " of " + std::to_string(facts.head_dim) + ", " +
          std::to_string(facts.n_kv_heads) + " for keys and values",
      &out);
  Row("BOS token", facts.bos_token < 0 ? "none" : std::to_string(facts.bos_token), &out);
  std::string eos;
  for (const int32_t token : model.EosTokens()) {
    eos += (eos.empty() ? "" : ", ") + std::to_string(token);
  }
  Row("end tokens", eos.empty() ? "none" : eos, &out);
  Row("chat template", ChatTemplates(model), &out);
  Row("sampling", RecommendedSampling(model), &out);
  for (const std::string& key : AllNames([&model](uint32_t i) { return model.FactKey(i); })) {
    Row(key, Fact(model, key), &out);
  }
  return out;
}

std::string DescribeAdapter(const rondo_adapter_facts& facts) {
  std::string out;
  Row("adapter",
      "rank " + std::to_string(facts.rank) + " at most, changes " + FormatCount(facts.n_matrices) +
          " of the model's matrices, " + FormatBytes(facts.file_bytes),
      &out);
  return out;
}

std::string DescribeTensors(const std::string& path) {
  const MappedModel model = MapModel(path);
  char line[256];
  std::snprintf(line, sizeof line, "%-8s %10s %10s %16s\n", "format", "rows", "cols", "bytes");
  std::string out = Padded("tensor", 45) + line;
  for (uint32_t i = 0; i < model.file.model().tensors()->size(); ++i) {
    const TensorView tensor = ViewTensor(model.file, i);
    std::string format = tensor.rule().name;
    if (tensor.block > 0) format += "/" + std::to_string(tensor.block);
    std::snprintf(line, sizeof line, "%-8s %10zu %10zu %16s\n", format.c_str(), tensor.rows,
                  tensor.cols, FormatCount(tensor.data.size() + tensor.scales.size()).c_str());
    out += Padded(Printable(tensor.name), 45) + line;
  }
  return out;
}

std::string CheckModel(const std::string& path, const Model& model) {
  const MappedModel mapped = MapModel(path);
  const auto fail = [&path](const std::string& what) { throw Error(path + ": " + what); };
  for (const format::Section* section : *mapped.file.model().sections()) {
    CheckInterrupt();
    if (!mapped.file.Verify(section, "").ok()) fail(mapped.file.VerifyAll().message());
  }
  const auto* tensors = mapped.file.model().tensors();
  for (uint32_t i = 0; i < tensors->size(); ++i) {
    CheckInterrupt();
    const Status status = CheckValues(ViewTensor(mapped.file, i));
    if (!status.ok()) fail(status.message());
  }
  size_t texts = 0;
  const auto* tokenizer = mapped.file.model().tokenizer();
  if (tokenizer != nullptr && tokenizer->golden() != nullptr) {
    for (const auto* golden : *tokenizer->golden()) {
      const std::vector<int32_t> ids =
          Tokenize(model, {golden->text()->data(), golden->text()->size()}, false);
      if (!std::equal(ids.begin(), ids.end(), golden->ids()->begin(), golden->ids()->end(),
                      [](int32_t a, uint32_t b) { return static_cast<uint32_t>(a) == b; })) {
        fail("the stored text \"" + golden->text()->str() +
             "\" has other token ids in this build than where the model was converted");
      }
      ++texts;
    }
  }
  return "checked: every checksum, the values of " + std::to_string(tensors->size()) +
         " tensors, the ids of " + std::to_string(texts) + " stored texts\n";
}

}  // namespace rondo::tools
