// GgufKeys: the keys of a GGUF file that belong to its architecture, with types and ranges.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/convert/sources/config.h"
#include "tools/convert/sources/gguf/gguf_file.h"

namespace rondo::convert {

// `key` is always without the architecture: "block_count" is "llama.block_count" in a file of
// llama. Everything throws Error, naming the file and the key. The file must outlive it.
class GgufKeys {
 public:
  explicit GgufKeys(const GgufFile& file);
  // With `begin` in place of an architecture: "clip.vision".
  GgufKeys(const GgufFile& file, std::string begin);

  const std::string& architecture() const { return architecture_; }
  const GgufFile& file() const { return file_; }
  // All keys, under their full names.
  const Config& all() const { return all_; }

  // Throws Error naming a key of the architecture that none of these functions was asked for: it
  // may change what the model computes.
  void CheckAllRead() const;

  bool Has(const std::string& key) const { return all_.Has(Name(key).c_str()); }
  bool HoldsList(const std::string& key) const { return all_.HoldsList(Name(key).c_str()); }
  // 1 <= value <= high.
  uint64_t Count(const std::string& key, uint64_t high) const;
  // 0 <= value <= high.
  uint64_t Count(const std::string& key, uint64_t high, uint64_t if_absent) const;
  double Number(const std::string& key) const { return all_.Number(Name(key).c_str()); }
  double Number(const std::string& key, double if_absent) const;
  bool Flag(const std::string& key, bool if_absent) const;
  // Where the key is absent: `assumed`, which changes what the model computes, and a note that it
  // is.
  double NumberOrAssumed(const std::string& key, double assumed) const;
  void NoteAssumed(const std::string& key, const std::string& assumed) const;
  // A sentence for each that was assumed.
  std::vector<std::string> notes() const;
  std::string Text(const std::string& key, const std::string& if_absent) const;
  // A list of numbers; empty where the key is absent.
  std::vector<double> Numbers(const std::string& key) const {
    return all_.Numbers(Name(key).c_str());
  }
  // None stands for what is not finite; empty where the key is absent.
  std::vector<std::optional<double>> NumbersOrNone(const std::string& key) const {
    return all_.NumbersOrNone(Name(key).c_str());
  }
  // An integer for each layer, at most `high`; one for all is repeated. true and false are 1 and 0.
  std::vector<uint64_t> PerLayer(const std::string& key, uint64_t high) const;
  // The one that all layers have which have more than 0; at least one must.
  uint64_t OfAnyLayer(const std::string& key, uint64_t high) const;

  // Throws "FILE: key ARCHITECTURE.KEY ...": `problem` completes the sentence.
  [[noreturn]] void Refuse(const std::string& key, const std::string& problem) const;

  // Those that predict more tokens than one are not counted.
  uint64_t n_layers() const;
  uint64_t n_heads() const;
  // As many as heads where the file does not say.
  uint64_t n_kv_heads() const;
  // attention.key_length, or embedding_length / attention.head_count; of latent attention: what
  // turns of a head.
  uint64_t head_dim() const;

  // "rope_freqs.weight" and the like.
  bool HasTensor(const std::string& name) const { return file_.tensors().count(name) != 0; }
  // "blk.N." and the name, for some N.
  bool HasInSomeLayer(const std::string& name) const;
  // All values of a tensor that has at most `limit` of them.
  std::vector<float> Values(const std::string& tensor, uint64_t limit) const;

 private:
  // Counts as read.
  std::string Name(const std::string& key) const;

  const GgufFile& file_;
  Config all_;
  std::string architecture_;
  mutable std::set<std::string> read_;
  mutable std::map<std::string, std::string> assumed_;  // key -> what
};

}  // namespace rondo::convert
