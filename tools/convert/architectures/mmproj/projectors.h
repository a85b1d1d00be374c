// The types of projectors of llama.cpp's files of what sees, each in a file of its own or with its
// kin, and what they have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/convert/sources/gguf/mmproj_rules.h"

namespace rondo::convert {

MmprojRules Gemma3Mmproj();
MmprojRules Gemma4Mmproj();
MmprojRules Idefics3Mmproj();
MmprojRules InternVlMmproj();
MmprojRules Lfm2Mmproj();
MmprojRules PixtralMmproj();
MmprojRules Qwen25Mmproj();
MmprojRules Qwen2Mmproj();
MmprojRules Qwen3Mmproj();

// SigLIP's layers, where the tower's names begin with `prefix`.
NameRules SiglipNames(const std::string& prefix);

// The activation that a file names by its flags: silu, what GELU is in the family, or the quick
// one.
std::string ActivationOf(const GgufKeys& keys, const char* gelu);

// A dimension of a tensor. Throws Error where it is not there, or has fewer.
uint64_t DimensionOf(const GgufKeys& keys, const std::string& tensor, size_t dimension);

// image_size by patch_size. Throws Error where the table of positions has not a row for each patch,
// and `more`.
void CheckGrid(const GgufKeys& keys, uint64_t more);

// A layer whose number says what it is, which rules of names do not tell apart: its weight and its
// bias, by the file's name and by the checkpoint's.
void Rename(const std::string& theirs, const std::string& ours, MmprojConfigs& configs);

// How many tiles a picture is cut into, where the file says it: by the processor's names for that.
void AddTiles(const GgufKeys& keys, const char* fewest, const char* most, MmprojConfigs& configs);

// Patches a side that become one row: of any projector's scale_factor.
uint64_t ScaleFactor(const GgufKeys& keys, uint64_t if_absent);

}  // namespace rondo::convert
