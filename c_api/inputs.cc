// Rows that are no tokens, handed in among tokens.
#include <array>
#include <cstring>

#include "c_api/turn.h"

namespace rondo::c_api {
namespace {

using Piece = Session::Piece;

Status ReadInput(const rondo_input& in, size_t hidden_size, Piece* piece) {
  const auto wrong = [](const char* what) {
    return Status::Error(StatusCode::kInvalidArgument, "%s", what);
  };
  if ((in.ids == nullptr) == (in.rows == nullptr)) {
    return wrong("ids and rows are both NULL, or neither is: one of them must be");
  }
  if (in.sees_whole > 1) return wrong("sees_whole must be 0 or 1");
  if (in.ids != nullptr) {
    if (in.coordinates != nullptr || in.sees_whole != 0) {
      return wrong("coordinates and sees_whole are of rows, not of ids");
    }
    piece->ids = {in.ids, in.count};
    return Status();
  }
  if (in.count == 0) return wrong("it has 0 rows, but must have 1 or more");
  const bool is_float = in.row_format == RONDO_ROWS_FLOAT32;
  if (!is_float && in.row_format != RONDO_ROWS_BFLOAT16) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "row_format is %d, but must be 0 (float32) or 1 (bfloat16)",
                         in.row_format);
  }
  if (in.count > SIZE_MAX / sizeof(float) / hidden_size) return wrong("it has too many rows");
  piece->rows = {in.rows, is_float ? RowFormat::kFloat32 : RowFormat::kBfloat16, in.count,
                 in.coordinates, in.sees_whole != 0};
  return Status();
}

Status Append(Turn& turn, const rondo_input* inputs, size_t count) {
  if (inputs == nullptr) return NullArgument("inputs");
  if (count == 0 || count > Session::kMostPieces) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%zu inputs were given, but must be 1 to %zu", count,
                         Session::kMostPieces);
  }
  std::array<Piece, Session::kMostPieces> pieces;
  const size_t stride = inputs->struct_size;
  const size_t hidden_size = turn.engine().engine->plan().runner.decoder.spec().hidden_size;
  const auto* at = reinterpret_cast<const uint8_t*>(inputs);
  uint64_t n = 0;
  for (size_t i = 0; i < count; ++i, at += stride) {
    rondo_input input = {};
    Status status = ReadOptions(reinterpret_cast<const rondo_input*>(at), "rondo_input", &input);
    if (status.ok() && (input.struct_size != stride || stride % alignof(rondo_input) != 0)) {
      status = Status::Error(StatusCode::kInvalidArgument,
                             "struct_size is %u, but must be that of input 0, %zu, and a multiple "
                             "of %zu",
                             input.struct_size, stride, alignof(rondo_input));
    }
    if (status.ok()) status = ReadInput(input, hidden_size, &pieces[i]);
    if (!status.ok()) {
      return Status::Error(status.code(), "input %zu: %s", i, status.message());
    }
    n += pieces[i].size();
  }
  const Status status = turn->QueuePieces({pieces.data(), count});
  if (status.ok()) turn.CountPrefilled(n);
  return status;
}

}  // namespace
}  // namespace rondo::c_api

extern "C" {

int32_t rondo_session_append_inputs(rondo_session* session, const rondo_input* inputs,
                                    size_t count) {
  rondo::c_api::Turn turn(session);
  if (!turn.taken()) return rondo::c_api::Code(turn.Why());
  const rondo::Status status = rondo::c_api::Append(turn, inputs, count);
  if (!status.ok()) turn->EndPrompt();
  return turn.Finish(status);
}

}  // extern "C"
