// CheckpointFolder: the safetensors files of a Hugging Face folder. Tensors that are one matrix
// together, as methods of quantisation have it, are listed as that one.
#pragma once

#include <filesystem>
#include <set>

#include "tools/convert/sources/checkpoint.h"
#include "tools/convert/sources/folder_tensors.h"
#include "tools/convert/sources/quantised/quantised_matrix.h"

namespace rondo::convert {

class CheckpointFolder final : public Checkpoint {
 public:
  explicit CheckpointFolder(const std::filesystem::path& directory,
                            const Quantisation& quantisation = {});

  void Read(const std::string& name, uint64_t first, std::span<float> out) const override;
  uint32_t BlockOfQ4B(const std::string& name) const override;
  void ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows, uint8_t* data,
               uint16_t* scales) const override;
  uint32_t IntegerBits(const std::string& name) const override;
  float ReadIntegers(const std::string& name, uint64_t row, std::span<int8_t> out) const override;
  // What is odd about the files, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  // It has the kernels of convolutions as MLX has them (mlx_layout.h).
  bool is_of_mlx() const { return is_of_mlx_; }

 private:
  std::string Where() const override { return tensors_.Where(); }
  void AddQuantised(const Quantisation& quantisation);
  void AddNotes();
  // Makes it the one that is in memory.
  void OpenMatrix(const QuantisedMatrix& matrix) const;
  ReadIntegersOfRow& OpenIntegers(const std::string& name) const;
  void ReadQuantised(const QuantisedMatrix& matrix, uint64_t first, std::span<float> out) const;

  const FolderTensors tensors_;
  std::map<std::string, QuantisedMatrix> quantised_;
  std::set<std::string> parts_;  // of those, by other names than theirs
  std::vector<std::string> notes_;
  bool is_of_mlx_ = false, norms_have_ones_ = false;
  // The matrix that was read last is in memory.
  mutable const QuantisedMatrix* open_ = nullptr;
  mutable ReadRow read_row_;
  mutable ReadIntegersOfRow read_integers_;
};

}  // namespace rondo::convert
