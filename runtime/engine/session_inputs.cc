// Inputs of a session: rows that are no tokens, among tokens.
#include <algorithm>
#include <array>

#include "runtime/engine/session.h"

namespace rondo {

namespace {

Status OfPiece(size_t piece, const Status& status) {
  return Status::Error(status.code(), "input %zu: %s", piece, status.message());
}

// Positions, or what is done with them, of ids of which each that is the picture's token stands for
// the next of `media`.
template <typename Visit>
void ForEachPart(const format::PictureText& text, std::span<const int32_t> ids,
                 std::span<const Media* const> media, Visit& visit) {
  const auto placeholder = static_cast<int32_t>(text.placeholder());
  size_t next = 0;
  for (size_t begin = 0; begin < ids.size();) {
    if (ids[begin] == placeholder) {
      ForEachPart(text, *media[next++], visit);
      ++begin;
      continue;
    }
    const auto found =
        std::find(ids.begin() + static_cast<ptrdiff_t>(begin), ids.end(), placeholder);
    const auto end = static_cast<size_t>(found - ids.begin());
    visit.Tokens(ids.subspan(begin, end - begin));
    begin = end;
  }
}

struct PositionCounter {
  uint64_t n = 0;
  void Tokens(std::span<const int32_t> ids) { n += ids.size(); }
  void Rows(const MediaRun& run) { n += run.rows; }
};

struct PartAppender {
  Sequence& sequence;
  void Tokens(std::span<const int32_t> ids) { sequence.Append(ids, ids.size()); }
  void Rows(const MediaRun& run) { sequence.AppendInput(run.input, 0, run.rows); }
};

}  // namespace

Status Session::QueueMedia(std::span<const int32_t> ids, std::span<const Media* const> media) {
  EndPrompt();
  RONDO_RETURN_IF_ERROR(CheckPredicts());
  const format::Model* const vision = engine_->model().model().vision();
  if (vision == nullptr && media.empty()) return Queue(ids);
  if (vision == nullptr || (!engine_->has_media() && !media.empty())) {
    return Status::Error(StatusCode::kUnsupported,
                         "engine option max_media_rows is 0: the engine takes no pictures");
  }
  RONDO_RETURN_IF_ERROR(CheckIds(ids));
  const format::PictureText& text = *vision->tower()->text();
  const auto wanted = static_cast<size_t>(
      std::count(ids.begin(), ids.end(), static_cast<int32_t>(text.placeholder())));
  if (wanted != media.size()) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "the ids have the token of a picture, %u, %zu times, but %zu pictures were "
        "given",
        text.placeholder(), wanted, media.size());
  }
  PositionCounter counter;
  ForEachPart(text, ids, media, counter);
  RONDO_RETURN_IF_ERROR(CheckQueue(counter.n));
  DropAhead();
  BeginPrompt(counter.n);
  LeaveText(position());
  PartAppender appender{sequence_};
  ForEachPart(text, ids, media, appender);
  EndGeneration();
  return Status();
}

Status Session::CheckPiece(const Piece& piece) const {
  const InputRowsView& input = piece.rows;
  if (!piece.is_input()) return CheckIds(piece.ids);
  const size_t planned = engine_->plan().options.max_input_rows;
  if (input.rows > planned) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "it has %zu rows, but engine option max_input_rows is %zu", input.rows,
                         planned);
  }
  const size_t max_rows = engine_->limits().max_rows;
  if (input.sees_whole && input.rows > max_rows) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "its %zu rows see each other and are of one pass, but engine option "
                         "max_rows is %zu",
                         input.rows, max_rows);
  }
  if (input.coordinates == nullptr || engine_->runner().decoder.spec().ropes.size() > 0) {
    return Status();
  }
  return Status::Error(StatusCode::kUnsupported,
                       "it has coordinates, but nothing in the model is rotated by them");
}

Status Session::QueuePieces(std::span<const Piece> pieces) {
  EndPrompt();
  RONDO_RETURN_IF_ERROR(CheckPredicts());
  if (pieces.empty() || pieces.size() > kMostPieces) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%zu inputs were given, but must be 1 to %zu", pieces.size(), kMostPieces);
  }
  uint64_t n = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Status status = CheckPiece(pieces[i]);
    if (!status.ok()) return OfPiece(i, status);
    n += pieces[i].size();
  }
  RONDO_RETURN_IF_ERROR(CheckQueue(n));
  // All are taken in before the session changes.
  InputStore& inputs = engine_->inputs();
  std::array<uint32_t, kMostPieces> numbers;
  size_t taken = 0;
  Status status;
  for (; taken < pieces.size() && status.ok(); ++taken) {
    if (!pieces[taken].is_input()) continue;
    const Result<uint32_t> number = inputs.Add(pieces[taken].rows);
    status = number.status();
    if (!status.ok()) break;
    numbers[taken] = *number;
  }
  if (status.ok()) {
    DropAhead();
    BeginPrompt(n);
    LeaveText(position());
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].is_input()) {
        sequence_.AppendInput(numbers[i], 0, static_cast<uint32_t>(pieces[i].size()));
      } else {
        sequence_.Append(pieces[i].ids, pieces[i].size());
      }
    }
    EndGeneration();
  }
  for (size_t i = 0; i < taken; ++i) {
    if (pieces[i].is_input()) inputs.Release(numbers[i]);
  }
  return status.ok() ? status : OfPiece(taken, status);
}

}  // namespace rondo
