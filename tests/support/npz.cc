#include "tests/support/npz.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

namespace rondo {
namespace {

size_t Number(std::span<const uint8_t> bytes, size_t at, size_t count) {
  size_t value = 0;
  for (size_t i = 0; i < count; ++i) value |= size_t{bytes[at + i]} << (8 * i);
  return value;
}

// Codes of a Huffman tree by their lengths (RFC 1951).
struct Codes {
  std::vector<int> counts = std::vector<int>(16);
  std::vector<int> symbols;

  explicit Codes(std::span<const uint8_t> lengths) {
    for (const uint8_t length : lengths) ++counts[length];
    counts[0] = 0;
    for (int length = 1; length < 16; ++length) {
      for (size_t i = 0; i < lengths.size(); ++i) {
        if (lengths[i] == length) symbols.push_back(static_cast<int>(i));
      }
    }
  }
};

class Inflater {
 public:
  explicit Inflater(std::span<const uint8_t> in) : in_(in) {}

  std::vector<uint8_t> Run() {
    for (bool last = false; !last;) {
      last = Bits(1) != 0;
      switch (Bits(2)) {
        case 0:
          Stored();
          break;
        case 1:
          Fixed();
          break;
        case 2:
          Dynamic();
          break;
        default:
          throw std::runtime_error("no kind of block");
      }
    }
    return std::move(out_);
  }

 private:
  int Bits(int count) {
    int value = 0;
    for (int i = 0; i < count; ++i, ++bit_) {
      value |= ((in_[bit_ / 8] >> (bit_ % 8)) & 1) << i;
    }
    return value;
  }

  int Symbol(const Codes& codes) {
    int code = 0;
    int first = 0;
    int index = 0;
    for (int length = 1; length < 16; ++length) {
      code |= Bits(1);
      const int count = codes.counts[static_cast<size_t>(length)];
      if (code - first < count) return codes.symbols[static_cast<size_t>(index + code - first)];
      index += count;
      first = (first + count) * 2;
      code *= 2;
    }
    throw std::runtime_error("no symbol");
  }

  void Stored() {
    const size_t at = (bit_ + 7) / 8;
    const size_t size = Number(in_, at, 2);
    out_.insert(out_.end(), &in_[at + 4], &in_[at + 4] + size);
    bit_ = (at + 4 + size) * 8;
  }

  void Fixed() {
    std::vector<uint8_t> lengths(288, 8);
    std::fill(lengths.begin() + 144, lengths.begin() + 256, 9);
    std::fill(lengths.begin() + 256, lengths.begin() + 280, 7);
    Block(Codes(lengths), Codes(std::vector<uint8_t>(30, 5)));
  }

  void Dynamic() {
    const auto literals = 257 + static_cast<size_t>(Bits(5));
    const auto distances = 1 + static_cast<size_t>(Bits(5));
    const auto given = 4 + static_cast<size_t>(Bits(4));
    constexpr size_t kOrder[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    std::vector<uint8_t> lengths(19);
    for (size_t i = 0; i < given; ++i) lengths[kOrder[i]] = static_cast<uint8_t>(Bits(3));
    const Codes codes(lengths);
    lengths.clear();
    while (lengths.size() < literals + distances) {
      const int symbol = Symbol(codes);
      if (symbol < 16) {
        lengths.push_back(static_cast<uint8_t>(symbol));
      } else if (symbol == 16) {
        lengths.insert(lengths.end(), 3 + static_cast<size_t>(Bits(2)), lengths.back());
      } else {
        lengths.insert(
            lengths.end(),
            symbol == 17 ? 3 + static_cast<size_t>(Bits(3)) : 11 + static_cast<size_t>(Bits(7)), 0);
      }
    }
    const std::span<const uint8_t> all = lengths;
    Block(Codes(all.first(literals)), Codes(all.subspan(literals)));
  }

  void Block(const Codes& literals, const Codes& distances) {
    while (true) {
      const int symbol = Symbol(literals);
      if (symbol == 256) return;
      if (symbol < 256) {
        out_.push_back(static_cast<uint8_t>(symbol));
        continue;
      }
      const int length = symbol == 285 ? 258 : Ranged(symbol - 257, 4, 3);
      const int distance = Ranged(Symbol(distances), 2, 1);
      if (static_cast<size_t>(distance) > out_.size()) throw std::runtime_error("too far back");
      for (int i = 0; i < length; ++i) {
        out_.push_back(out_[out_.size() - static_cast<size_t>(distance)]);
      }
    }
  }

  // Lengths and distances lie in ranges that double, each of so many symbols.
  int Ranged(int symbol, int a_range, int least) {
    if (symbol < 2 * a_range) return least + symbol;
    const int extra = symbol / a_range - 1;
    return least + ((a_range + symbol % a_range) << extra) + Bits(extra);
  }

  std::span<const uint8_t> in_;
  size_t bit_ = 0;
  std::vector<uint8_t> out_;
};

// The value of a key in an array's header, which is a dictionary of Python.
std::string ValueOf(const std::string& header, const std::string& key, const char* end) {
  const size_t at = header.find("'" + key + "': ") + key.size() + 4;
  return header.substr(at, header.find_first_of(end, at) - at);
}

// From first axis fastest to last axis fastest.
std::vector<uint8_t> Turned(const NpyArray& array, size_t item) {
  std::vector<uint8_t> bytes(array.bytes.size());
  for (size_t i = 0; i < bytes.size() / item; ++i) {
    size_t rest = i;
    size_t from = 0;
    size_t stride = bytes.size() / item;
    for (size_t axis = array.shape.size(); axis-- > 0;) {
      stride /= array.shape[axis];
      from += rest % array.shape[axis] * stride;
      rest /= array.shape[axis];
    }
    std::memcpy(&bytes[i * item], &array.bytes[from * item], item);
  }
  return bytes;
}

}  // namespace

Npz::Npz(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  file_.assign(std::istreambuf_iterator<char>(in), {});
  size_t end = file_.size();  // of the archive's last record
  while (end >= 22 && Number(file_, end - 22, 4) != 0x06054b50) --end;
  if (end < 22) throw std::runtime_error("no archive: " + path.string());
  size_t at = Number(file_, end - 22 + 16, 4);
  for (size_t left = Number(file_, end - 22 + 10, 2); left > 0; --left) {
    const size_t name_bytes = Number(file_, at + 28, 2);
    std::string name(file_.begin() + static_cast<ptrdiff_t>(at + 46),
                     file_.begin() + static_cast<ptrdiff_t>(at + 46 + name_bytes));
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    entries_[name] = {.begin = Number(file_, at + 42, 4),
                      .compressed = Number(file_, at + 20, 4),
                      .size = Number(file_, at + 24, 4),
                      .deflated = Number(file_, at + 10, 2) == 8};
    at += 46 + name_bytes + Number(file_, at + 30, 2) + Number(file_, at + 32, 2);
  }
}

NpyArray Npz::At(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) throw std::runtime_error("no array " + name);
  const Entry& entry = found->second;
  const size_t begin =
      entry.begin + 30 + Number(file_, entry.begin + 26, 2) + Number(file_, entry.begin + 28, 2);
  const std::span<const uint8_t> stored = std::span(file_).subspan(begin, entry.compressed);
  const std::vector<uint8_t> bytes =
      entry.deflated ? Inflater(stored).Run() : std::vector<uint8_t>(stored.begin(), stored.end());
  if (bytes.size() != entry.size || bytes.size() < 10) throw std::runtime_error("damaged " + name);
  const size_t values = 10 + Number(bytes, 8, 2);
  const std::string header(bytes.begin() + 10, bytes.begin() + static_cast<ptrdiff_t>(values));
  NpyArray array;
  array.type = ValueOf(header, "descr", ",").substr(1, 3);
  const std::string shape = ValueOf(header, "shape", ")").substr(1);
  for (size_t i = 0; i < shape.size();) {
    size_t digits = 0;
    array.shape.push_back(std::stoul(shape.substr(i), &digits));
    i = std::min(shape.find_first_of("0123456789", i + digits), shape.size());
  }
  array.bytes.assign(bytes.begin() + static_cast<ptrdiff_t>(values), bytes.end());
  if (ValueOf(header, "fortran_order", ",") == "True") {
    array.bytes = Turned(array, static_cast<size_t>(array.type[2] - '0'));
  }
  return array;
}

std::vector<std::string> Npz::Names() const {
  std::vector<std::string> names;
  names.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

}  // namespace rondo
