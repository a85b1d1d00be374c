#include "tools/convert/tokenizer/bpe_tables.h"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_set>
#include <utility>

#include "runtime/text/slots.h"
#include "tools/common/interrupt.h"
#include "tools/convert/tokenizer/text.h"

namespace rondo::convert {
namespace {

void CheckOptions(const JsonValue& model) {
  if (const JsonValue dropout = model.Find("dropout");
      !dropout.IsNull() && dropout.json() != nlohmann::json(0.0)) {
    dropout.Fail("is not null or 0");
  }
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const JsonValue affix = model.Find(key);
    if (!affix.IsNull() && !affix.String().empty()) affix.Fail("is not supported");
  }
}

std::vector<Atom> MakeAtoms(const Vocabulary& vocabulary, bool byte_level) {
  std::vector<Atom> atoms;
  for (const auto& [text, id] : vocabulary.ids) {
    if (text.size() > 4) continue;
    std::string bytes;
    if (byte_level) {
      if (!FromByteAlphabet(text, &bytes) || bytes.size() != 1) continue;
      atoms.push_back({static_cast<uint8_t>(bytes[0]), id});
    } else if (const std::vector<uint32_t> code_points = CodePoints(text);
               code_points.size() == 1) {
      atoms.push_back({code_points[0], id});
    }
  }
  std::sort(atoms.begin(), atoms.end(), [](const Atom& a, const Atom& b) { return a.key < b.key; });
  return atoms;
}

// "left right", or ["left", "right"].
std::pair<std::string, std::string> ParsePair(const JsonValue& item) {
  if (item.json().is_string()) {
    const std::string text = item.String();
    const size_t space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
      item.Fail("is '" + text + "', expected two tokens and a space between");
    }
    return {text.substr(0, space), text.substr(space + 1)};
  }
  const std::vector<JsonValue> pair = item.Items();
  if (pair.size() != 2) item.Fail("has " + std::to_string(pair.size()) + " tokens, expected 2");
  return {pair[0].String(), pair[1].String()};
}

std::vector<Merge> ParseMerges(const JsonValue& list, const Vocabulary& vocabulary) {
  std::vector<Merge> merges;
  std::unordered_set<uint64_t> seen;
  for (const JsonValue& item : list.Items()) {
    const auto [left, right] = ParsePair(item);
    const auto find = [&](const std::string& text) {
      const auto id = vocabulary.Find(text);
      if (!id.has_value()) item.Fail("needs '" + text + "', which is not in model.vocab");
      return *id;
    };
    const Merge merge = {find(left), find(right), find(left + right)};
    if (!seen.insert(uint64_t{merge.left} << 32 | merge.right).second) {
      item.Fail("is there a second time");
    }
    merges.push_back(merge);
  }
  return merges;
}

// A bit for each pair of atoms that some merge brings side by side inside of one token. A clear
// bit is then a place that no token spans, so text may be cut there before merging.
std::vector<uint8_t> MakeJoints(const BpeTables& tables, uint32_t vocab_size) {
  // The atoms that a token may begin and end with. More than one only for a token that is an atom
  // and also the result of a merge.
  std::vector<std::vector<uint32_t>> first(vocab_size);
  std::vector<std::vector<uint32_t>> last(vocab_size);
  const auto add = [](std::vector<uint32_t>& set, const std::vector<uint32_t>& more) {
    bool grew = false;
    for (const uint32_t id : more) {
      if (std::find(set.begin(), set.end(), id) != set.end()) continue;
      set.push_back(id);
      grew = true;
    }
    return grew;
  };
  const auto add_atom = [&](int32_t id) {
    if (id < 0) return;
    add(first[static_cast<size_t>(id)], {static_cast<uint32_t>(id)});
    add(last[static_cast<size_t>(id)], {static_cast<uint32_t>(id)});
  };
  for (const Atom& atom : tables.atoms) add_atom(static_cast<int32_t>(atom.id));
  for (const int32_t id : tables.byte_tokens) add_atom(id);
  add_atom(tables.unknown_token);
  // Mostly one pass, since merges come after those that they build on.
  for (bool grew = true; grew;) {
    grew = false;
    tools::CheckInterrupt();
    for (const Merge& merge : tables.merges) {
      if (first[merge.left].empty() || first[merge.right].empty()) continue;  // not reached yet
      grew |= add(first[merge.result], std::vector(first[merge.left]));
      grew |= add(last[merge.result], std::vector(last[merge.right]));
    }
  }

  std::unordered_set<uint64_t> pairs;
  for (const Merge& merge : tables.merges) {
    for (const uint32_t left : last[merge.left]) {
      for (const uint32_t right : first[merge.right]) {
        pairs.insert(uint64_t{left} << 32 | right);
      }
    }
  }
  // Sparse enough that a wrongly set bit, which costs time but not exactness, is rare.
  std::vector<uint8_t> bits(std::bit_ceil(std::max<size_t>(16 * pairs.size(), 64)) / 8);
  for (const uint64_t pair : pairs) {
    const size_t bit = SlotOf(
        HashPair(static_cast<uint32_t>(pair >> 32), static_cast<uint32_t>(pair)), 8 * bits.size());
    bits[bit / 8] |= static_cast<uint8_t>(1u << (bit % 8));
  }
  return bits;
}

}  // namespace

std::vector<uint32_t> BuildSlots(const std::vector<uint64_t>& hashes,
                                 const std::vector<uint32_t>& values) {
  for (size_t capacity = std::bit_ceil(2 * hashes.size() + 1);; capacity *= 2) {
    std::vector<uint32_t> slots(capacity, kEmptySlot);
    for (size_t i = 0; i < hashes.size(); ++i) {
      size_t slot = SlotOf(hashes[i], capacity);
      while (slots[slot] != kEmptySlot) slot = (slot + 1) & (capacity - 1);
      slots[slot] = values[i];
    }
    if (CheckSlots(slots, hashes.size(), kEmptySlot, "").ok()) return slots;
  }
}

BpeTables BpeTables::Parse(const JsonValue& model, const Vocabulary& vocabulary, bool byte_level) {
  CheckOptions(model);
  BpeTables tables;
  tables.ignore_merges = model.Find("ignore_merges").BoolOr(false);
  if (tables.ignore_merges && !byte_level) {
    model.Find("ignore_merges").Fail("is supported only for byte-level BPE");
  }
  tables.fuse_unknown = model.Find("fuse_unk").BoolOr(false);
  if (const JsonValue unknown = model.Find("unk_token"); !unknown.IsNull()) {
    const auto id = vocabulary.Find(unknown.String());
    if (!id.has_value()) unknown.Fail("is '" + unknown.String() + "', not in model.vocab");
    tables.unknown_token = static_cast<int32_t>(*id);
  }
  if (model.Find("byte_fallback").BoolOr(false)) tables.byte_tokens = vocabulary.ByteTokens();
  tables.atoms = MakeAtoms(vocabulary, byte_level);
  tables.merges = ParseMerges(model.At("merges"), vocabulary);

  std::vector<uint64_t> hashes;
  std::vector<uint32_t> indices;
  for (const Merge& merge : tables.merges) {
    hashes.push_back(HashPair(merge.left, merge.right));
    indices.push_back(static_cast<uint32_t>(indices.size()));
  }
  tables.merge_slots = BuildSlots(hashes, indices);
  tables.joints = MakeJoints(tables, vocabulary.size());
  return tables;
}

}  // namespace rondo::convert
