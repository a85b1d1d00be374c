// Convert: from a Hugging Face folder or a GGUF file to a Rondo file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rondo_generated.h"
#include "tools/common/output_file.h"
#include "tools/convert/fit_bytes.h"

namespace rondo::convert {

struct DecoderSpec;
class FileWriter;

struct ConvertOptions {
  std::filesystem::path directory;  // config.json, *.safetensors, tokenizer.json; or a GGUF file
  std::filesystem::path output;
  tools::Replace replace = tools::Replace::kSameKind;  // of the output
  format::TensorFormat weights = format::TensorFormat::Q8;
  format::TensorFormat embedding = format::TensorFormat::Q8;  // and the output head
  uint32_t block = 32;  // columns per scale of Q4B: 32, 64 or 128
  // What the source has quantised keeps its bits, whatever the formats above: as it is where a
  // format of ours holds it, else in the nearest one.
  bool keep_weights = false;
  bool keep_embedding = false;
  // A text, UTF-8, by which Q4, Q3 and Q4B weights are chosen (tools/convert/calibrate): a file, or
  // by an empty name Rondo's own texts; nothing: by none.
  std::optional<std::filesystem::path> calibration;
  // Formats other than `weights` for some matrices, so that they have so many bits per weight on
  // average, scales included: as the predictions on the text of `calibration` need it, or without
  // one by what is known of kinds of matrices; 0: all alike.
  double bits = 0;
  // A LoRA adapter, as PEFT saves it, that is added to the weights; empty: none.
  std::filesystem::path merge;
  // Instead of `weights` and `bits`: what suits so many bytes of an engine's arena; bytes 0: not.
  FitWish fit = {};
  // Of what sees for the model; and whether that is left out.
  format::TensorFormat media_weights = format::TensorFormat::Q8;
  bool text_only = false;
  // The checkpoint's head that predicts the token behind the next one is kept: it drafts.
  bool draft_head = false;
  // A Qwen3-Reranker, whose folder may not say so: the score of a pair is that of "yes" against
  // "no".
  bool reranker = false;
  // All values stay float32, changed as for the formats above (change_for_formats.h), and no text
  // is read.
  bool as_floats = false;
  // What another conversion of this source made of its architecture; null: it is read.
  const DecoderSpec* as = nullptr;
  // For tests: what is done to the model's recipes before they are scaled; null: nothing.
  std::function<void(DecoderSpec& spec)> change = nullptr;
  // In the end the model is run for one token, where half of the memory that is free is enough for
  // that; else a note says so. Without, it is only opened, with its tokenizer and its plan.
  bool run_token = false;
  // Of a GGUF file, the one of what sees for its model; empty: the one beside it, if there is one.
  std::filesystem::path mmproj;
};

// What `bits` led to, for one matrix.
struct ChosenFormat {
  std::string tensor;
  uint64_t weights;
  double loss;         // with this matrix alone in q3; by a text: of the predictions, KL in nats
  std::string format;  // as "q4"
  double bits;         // per weight
};

struct ConvertReport {
  std::string architecture;
  uint64_t parameters = 0;  // values in the file's tensors; a tied embedding counts once
  uint64_t file_bytes = 0;
  std::vector<ChosenFormat> chosen;  // with ConvertOptions::bits
  std::vector<std::string> notes;    // what the user may want to know, a sentence each
  uint64_t matrix_weights = 0;       // of those that `weights` is the format of
  uint64_t matrix_bytes = 0;         // in the file
  std::optional<Fitted> fitted;      // with ConvertOptions::fit
  bool is_assistant = false;         // it drafts for another model, and runs beside it alone
};

// Told the source bytes converted so far and those of the whole.
using ConvertProgress = std::function<void(uint64_t done, uint64_t total)>;

// The output appears whole and checked, or not at all. Throws Error: one sentence naming the file,
// key or tensor and what was expected. Needs memory for some rows of floats and the scales
// of the largest tensor, whatever the size of the model; with `calibration` what that says, and
// in the output's folder, for a while, room for the model in float32. Also throws Interrupted.
ConvertReport Convert(const ConvertOptions& options, const ConvertProgress& progress);

// The same but for the name and what is tried in the end: `writer` has the whole file.
ConvertReport ConvertInto(FileWriter& writer, const ConvertOptions& options,
                          const ConvertProgress& progress);

}  // namespace rondo::convert
