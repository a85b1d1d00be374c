// rondo_make_checkpoint: a random Llama checkpoint on the disk, by default in the shape of
// Llama-3.2-1B (2.5 GB), to measure conversion and speed with.
#include <exception>
#include <iostream>

#include <CLI/CLI.hpp>

#include "tests/tools/convert/random_checkpoint.h"

// Without memory for the options nobody can be told anything.
int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape)
  std::string directory;
  rondo::convert::CheckpointShape shape;
  shape.vocab_size = 128256;
  shape.hidden_size = 2048;
  shape.intermediate_size = 8192;
  shape.n_layers = 16;
  shape.n_heads = 32;
  shape.n_kv_heads = 8;
  shape.head_dim = 64;
  shape.context_length = 131072;
  shape.tied = true;
  shape.rope_theta = 500000.0;
  shape.rope_scaling =
      R"({"rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0,
          "high_freq_factor": 4.0, "original_max_position_embeddings": 8192})";
  CLI::App app("Writes a random Llama checkpoint");
  app.add_option("DIR", directory, "Folder to write")->required();
  app.add_option("--vocab", shape.vocab_size)->capture_default_str();
  app.add_option("--hidden", shape.hidden_size)->capture_default_str();
  app.add_option("--intermediate", shape.intermediate_size)->capture_default_str();
  app.add_option("--layers", shape.n_layers)->capture_default_str();
  app.add_option("--heads", shape.n_heads)->capture_default_str();
  app.add_option("--kv-heads", shape.n_kv_heads)->capture_default_str();
  app.add_option("--head-dim", shape.head_dim)->capture_default_str();
  app.add_option("--context", shape.context_length)->capture_default_str();
  app.add_option("--tied", shape.tied)->capture_default_str();
  app.add_option("--dtype", shape.dtype)->check(CLI::IsMember({"F32", "F16", "BF16"}));
  app.add_option("--shard-bytes", shape.shard_bytes, "0: one file")->capture_default_str();
  app.add_option("--seed", shape.seed)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    rondo::convert::WriteRandomCheckpoint(directory, shape);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
