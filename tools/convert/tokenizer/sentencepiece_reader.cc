// A tokenizer.model as SentencePiece writes it: the fields of its ModelProto that matter here.
#include <cmath>
#include <utility>

#include "runtime/text/tokenizer_tables.h"
#include "tools/convert/tokenizer/protobuf.h"
#include "tools/convert/tokenizer/sentencepiece.h"
#include "tools/convert/tokenizer/text.h"

namespace rondo::convert {
namespace {

SentencePiece ReadPiece(ProtobufReader message) {
  SentencePiece piece;
  while (message.Next()) {
    switch (message.field()) {
      case 1:
        piece.text = message.Bytes();
        if (!IsUtf8(piece.text)) message.Fail("the piece is not UTF-8");
        if (piece.text.size() > kMaxTokenBytes) message.Fail("the piece is too long");
        break;
      case 2:
        piece.score = message.Float();
        if (!std::isfinite(piece.score)) message.Fail("the score is not a finite number");
        break;
      case 3: {
        const uint64_t kind = message.Varint();
        if (kind < 1 || kind > 6) message.Fail("kind " + std::to_string(kind) + " is not known");
        piece.kind = static_cast<PieceKind>(kind);
        break;
      }
      default:
        break;
    }
  }
  return piece;
}

void ReadTrainer(ProtobufReader message, SentencePieceModel& model) {
  while (message.Next()) {
    switch (message.field()) {
      case 3: {
        const uint64_t type = message.Varint();
        if (type != 1 && type != 2) {
          message.Fail("model type " + std::to_string(type) +
                       " is not supported, expected 1 (Unigram) or 2 (BPE)");
        }
        model.unigram = type == 1;
        break;
      }
      case 24:
        if (message.Bool()) message.Fail("treat_whitespace_as_suffix is not supported");
        break;
      case 35:
        model.byte_fallback = message.Bool();
        break;
      default:
        break;
    }
  }
}

void ReadNormalizer(ProtobufReader message, SentencePieceModel& model) {
  while (message.Next()) {
    switch (message.field()) {
      case 2:
        model.charsmap = message.Bytes();
        break;
      case 3:
        model.add_dummy_prefix = message.Bool();
        break;
      case 4:
        model.remove_extra_whitespaces = message.Bool();
        break;
      case 5:
        if (!message.Bool()) message.Fail("escape_whitespaces = false is not supported");
        break;
      default:
        break;
    }
  }
}

}  // namespace

SentencePieceModel ReadSentencePiece(std::string_view bytes, const std::string& source) {
  SentencePieceModel model;
  model.unigram = true;  // what a file without this field means
  model.replace_each_byte = true;
  ProtobufReader message(bytes, source, "the model");
  while (message.Next()) {
    switch (message.field()) {
      case 1:
        if (model.pieces.size() == kMaxVocabSize) message.Fail("there are too many pieces");
        model.pieces.push_back(
            ReadPiece(message.Message("piece " + std::to_string(model.pieces.size()))));
        break;
      case 2:
        ReadTrainer(message.Message("trainer_spec"), model);
        break;
      case 3:
        ReadNormalizer(message.Message("normalizer_spec"), model);
        break;
      default:
        break;
    }
  }
  if (model.pieces.empty()) message.Fail("the model has no pieces");
  return model;
}

}  // namespace rondo::convert
