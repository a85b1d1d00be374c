package rondo

// #include <stdlib.h>
// #include <string.h>
// #include <rondo/rondo.h>
//
// // Keeps the rows of one call, [n, width], one behind another.
// typedef struct { float* rows; size_t width; } rondo_go_rows;
//
// static void rondo_go_keep_row(void* user, size_t index, const float* logits, size_t count) {
//   rondo_go_rows* to = (rondo_go_rows*)user;
//   memcpy(to->rows + index * to->width, logits, (count < to->width ? count : to->width) * sizeof *logits);
// }
//
// static int32_t rondo_go_prefill_logits(rondo_session* session, const int32_t* ids, size_t count,
//                                        float* rows, size_t width) {
//   rondo_go_rows to = {rows, width};
//   return rondo_session_prefill_logits(session, ids, count, rondo_go_keep_row, &to);
// }
import "C"

import (
	"context"
	"unsafe"
)

// Logits are those after the last token, copied.
func (s *Session) Logits(ctx context.Context) (logits []float32, err error) {
	err = s.compute(ctx, func(handle *C.rondo_session) C.int32_t {
		var pointer *C.float
		var count C.size_t
		status := C.rondo_session_logits(handle, &pointer, &count)
		logits = append(logits, unsafe.Slice((*float32)(unsafe.Pointer(pointer)), int(count))...)
		return status
	})
	return logits, err
}

// Rows of logits that are kept at once.
const keptBytes = 16 << 20

// PrefillLogits is as Prefill, and calls row after each token. Row runs between the passes: it may use the
// engine's other sessions, panic, or end its goroutine; the session then has the tokens of the rows up to
// there and of some behind. Logits are the caller's up to the next row.
func (s *Session) PrefillLogits(ctx context.Context, ids []int32, row func(index int, logits []float32)) error {
	handle, err := s.hold()
	if err != nil {
		return err
	}
	defer s.release()
	if row == nil {
		return refused("row is nil")
	}
	width := s.engine.vocabSize
	most := keptBytes / (4 * width)
	if most < 1 {
		most = 1
	}
	var rows []float32
	for begin := 0; begin == 0 || begin < len(ids); begin += most {
		some := ids[begin:]
		if len(some) > most {
			some = some[:most]
		}
		if rows == nil {
			rows = make([]float32, len(some)*width, len(some)*width+1) // so that it has an address
		}
		err := s.within(ctx, handle, func(handle *C.rondo_session) C.int32_t {
			return C.rondo_go_prefill_logits(handle, first(some), C.size_t(len(some)), address(rows),
				C.size_t(width))
		})
		if err != nil {
			if begin > 0 {
				C.rondo_session_undo(handle, C.uint64_t(begin)) // as before, where that can be
			}
			return err
		}
		for i := range some {
			row(begin+i, rows[i*width:(i+1)*width:(i+1)*width])
		}
	}
	return nil
}
