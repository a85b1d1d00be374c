// Sink: who tells a client what is generated, in the form of one protocol.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/serve/api_error.h"

namespace rondo::tools::serve {

enum class PieceKind { kContent, kThinking, kCall, kArguments, kCallEnd };

// A piece of an answer.
struct Piece {
  PieceKind kind = PieceKind::kContent;
  std::string_view text;      // kContent, kThinking, kArguments
  uint64_t call = 0;          // the call's number in the answer
  std::string_view name, id;  // kCall; the id that the model gave, or empty
};

// A token, of requests that ask for log-probabilities.
struct TokenNote {
  std::string bytes;
  float logprob = 0;
  std::vector<std::pair<std::string, float>> top;  // the likeliest, bytes and log-probabilities
};

enum class Finish { kStop, kStopString, kLength, kCalls };

struct Usage {
  uint64_t prompt_tokens = 0;  // with the rows of pictures
  uint64_t cached_tokens = 0;  // of these
  uint64_t completion_tokens = 0;
  uint64_t reasoning_tokens = 0;  // of these
  double queue_seconds = 0, prefill_seconds = 0, decode_seconds = 0;
};

class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  // Of the answer number `choice`.
  virtual void Take(size_t choice, const Piece& piece) = 0;
  // A token whose text is in pieces to come, or in none.
  virtual void Note(size_t choice, TokenNote note) = 0;
  // `stop`: the stop string that it ended with, or empty.
  virtual void EndChoice(size_t choice, Finish finish, const std::string& stop) = 0;
  // Once: all choices have ended, or nothing more comes.
  virtual void End(const Usage& usage) = 0;
  virtual void Fail(const ApiError& error) = 0;
};

}  // namespace rondo::tools::serve
