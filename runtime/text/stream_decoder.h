// StreamDecoder: token ids in, whole characters out as soon as they are certain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace rondo {

class Tokenizer;

// Where text goes: counts all of its bytes, keeps those that fit.
struct TextSink {
  std::span<char> text;
  size_t size = 0;

  void Add(const uint8_t* bytes, size_t count) {
    if (size < text.size()) {
      std::memcpy(text.data() + size, bytes,
                  count < text.size() - size ? count : text.size() - size);
    }
    size += count;
  }
};

// Plain data of fixed size: copy it to remember a state (as for undo). All that Append and Flush
// hand out, put together, equals Tokenizer::Decode of all the ids, whatever the pauses between.
// Bytes that cannot become UTF-8 any more come out as U+FFFD. Not thread-safe; no allocation.
class StreamDecoder {
 public:
  enum class Start : uint8_t {
    kText,          // the first id begins the text: the decoder's rule for a leading space holds
    kContinuation,  // the ids go on after a prompt: no space is dropped
  };

  // A default-constructed decoder must be begun before use; begin again to start over.
  void Begin(const Tokenizer& tokenizer, bool skip_special, Start start);

  // Adds the text that became complete with `id` to `sink`: at most MaxTextBytes(tokenizer).
  // Ids out of range have no text. The tokenizer is that of Begin.
  void Append(const Tokenizer& tokenizer, int32_t id, TextSink& sink);
  // The end: what is left of an unfinished character comes out as U+FFFD. At most 3 bytes.
  void Flush(TextSink& sink);

  static size_t MaxTextBytes(const Tokenizer& tokenizer);

 private:
  void Put(const uint8_t* character, size_t size, TextSink& sink);

  uint8_t pending_[4] = {};  // the beginning of a character
  uint8_t pending_size_ = 0;
  uint8_t strip_left_ = 0;  // spaces still to be dropped
  bool skip_special_ = false;
  bool drop_spaces_ = false;  // all of them, in the first token
};
static_assert(std::is_trivially_copyable_v<StreamDecoder>);

}  // namespace rondo
