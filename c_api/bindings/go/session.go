package rondo

// #include <rondo/rondo.h>
//
// void rondoGoLogitsRow(void* user, size_t index, float* logits, size_t count);
//
// static int32_t rondo_go_prefill_logits(rondo_session* session, const int32_t* ids, size_t count,
//                                        uintptr_t user) {
//   return rondo_session_prefill_logits(session, ids, count, (rondo_logits_row)rondoGoLogitsRow,
//                                       (void*)user);
// }
import "C"

import (
	"context"
	"runtime"
	"runtime/cgo"
	"strings"
	"sync"
	"unsafe"
)

// Session is one sequence of tokens.
type Session struct {
	engine *Engine
	mutex  sync.Mutex // guards what follows, and is not held while a call runs
	// The handle is given up when it is closed and no call is in it.
	handle *C.rondo_session
	calls  int
	closed bool
}

// Event is what one step of a generation brought.
type Event struct {
	Token     int32  // -1: no token came
	Text      string // what can be shown now: whole characters; may be empty
	Bytes     []byte // the token's own
	Reason    Reason // why the generation ended; ReasonNone: it goes on
	LogProb   float32
	Pending   uint64  // tokens of the prompt that still wait for passes
	TakenOver uint64  // tokens that the prefix cache had
	Channel   Channel // what the token belongs to, with the option Thinking
}

func newSession(handle *C.rondo_session, engine *Engine) *Session {
	session := &Session{handle: handle, engine: engine}
	runtime.SetFinalizer(session, (*Session).Close)
	return session
}

func (s *Session) enter() (*C.rondo_session, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	s.calls++
	return s.handle, nil
}

func (s *Session) leave() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.calls--
	if s.closed && s.calls == 0 {
		C.rondo_session_close(s.handle)
	}
}

// Close gives the handle up; a call that another goroutine is in is cancelled. Closing twice does
// nothing.
func (s *Session) Close() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	if s.calls == 0 {
		C.rondo_session_close(s.handle)
	} else {
		C.rondo_session_cancel(s.handle)
	}
}

func (s *Session) call(function func(*C.rondo_session) C.int32_t) error {
	handle, err := s.enter()
	if err != nil {
		return err
	}
	defer s.leave()
	status := function(handle)
	switch Status(status) {
	case StatusOK:
		return nil
	case StatusBusy: // the message belongs to the other call
		return &Error{Status: StatusBusy}
	}
	return &Error{Status(status), C.GoString(C.rondo_session_last_error(handle))}
}

// Prefill appends and evaluates a prompt, or the next turn of a conversation. All or nothing.
func (s *Session) Prefill(ids []int32) error {
	return s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_prefill(handle, first(ids), C.size_t(len(ids)))
	})
}

// PrefillLogits is as Prefill, and calls row after each token. The logits are valid during that
// call, which must not panic.
func (s *Session) PrefillLogits(ids []int32, row func(index int, logits []float32)) error {
	user := cgo.NewHandle(row)
	defer user.Delete()
	return s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_go_prefill_logits(handle, first(ids), C.size_t(len(ids)), C.uintptr_t(user))
	})
}

//export rondoGoLogitsRow
func rondoGoLogitsRow(user unsafe.Pointer, index C.size_t, logits *C.float, count C.size_t) {
	row := cgo.Handle(uintptr(user)).Value().(func(index int, logits []float32))
	row(int(index), unsafe.Slice((*float32)(unsafe.Pointer(logits)), int(count)))
}

// Append queues tokens, which the next steps of the engine evaluate.
func (s *Session) Append(ids []int32) error {
	return s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_append(handle, first(ids), C.size_t(len(ids)))
	})
}

// Propose tells tokens that may come next: the next pass verifies them, and no token is another for
// it.
func (s *Session) Propose(ids []int32) error {
	return s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_propose(handle, first(ids), C.size_t(len(ids)))
	})
}

// Accept appends one token that the caller chose.
func (s *Session) Accept(token int32) error {
	return s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_accept(handle, C.int32_t(token))
	})
}

func (s *Session) event(function func(*C.rondo_session, *C.rondo_event) C.int32_t) (event Event, err error) {
	err = s.call(func(handle *C.rondo_session) C.int32_t {
		raw := C.rondo_event{struct_size: C.sizeof_rondo_event}
		status := function(handle, &raw)
		if status == 0 {
			event = Event{int32(raw.token), C.GoStringN(raw.text, C.int(raw.text_bytes)),
				C.GoBytes(unsafe.Pointer(raw.bytes), C.int(raw.bytes_count)), Reason(raw.reason),
				float32(raw.logprob), uint64(raw.pending), uint64(raw.taken_over),
				Channel(raw.channel)}
		}
		return status
	})
	return event, err
}

// Next generates one token.
func (s *Session) Next() (Event, error) {
	return s.event(func(handle *C.rondo_session, event *C.rondo_event) C.int32_t {
		return C.rondo_session_next(handle, event)
	})
}

// Event is what the last step of the engine had for this session, once.
func (s *Session) Event() (Event, error) {
	return s.event(func(handle *C.rondo_session, event *C.rondo_event) C.int32_t {
		return C.rondo_session_event(handle, event)
	})
}

// Stream generates up to the event with the reason, or until take returns an error, which it
// returns. Where ctx is done, so is the running call, and the session stands as before it.
func (s *Session) Stream(ctx context.Context, take func(Event) error) error {
	for {
		event, err := s.nextWithin(ctx)
		if err != nil {
			return err
		}
		if err := take(event); err != nil {
			return err
		}
		if event.Reason != ReasonNone {
			return nil
		}
	}
}

// Events generates up to the event with the reason, or an error; it is an iter.Seq2[Event, error]:
//
//	for event, err := range session.Events(ctx) { ... }
//
// Before Go 1.23 call it with a yield of your own. Where ctx is done, so is the running call.
func (s *Session) Events(ctx context.Context) func(yield func(Event, error) bool) {
	return func(yield func(Event, error) bool) {
		for {
			event, err := s.nextWithin(ctx)
			if !yield(event, err) || err != nil || event.Reason != ReasonNone {
				return
			}
		}
	}
}

// Chat answers a conversation, as Events does; the session's tokens become the conversation's.
func (s *Session) Chat(ctx context.Context, chat Chat) func(yield func(Event, error) bool) {
	return func(yield func(Event, error) bool) {
		if err := s.ask(chat); err != nil {
			yield(Event{}, err)
			return
		}
		s.Events(ctx)(yield)
	}
}

func (s *Session) ask(chat Chat) error {
	ids, err := s.engine.model.ChatIDs(chat)
	if err != nil {
		return err
	}
	if err := s.Reset(); err != nil {
		return err
	}
	return s.AppendMedia(ids) // refuses ids in which pictures are missing
}

func (s *Session) nextWithin(ctx context.Context) (Event, error) {
	if ctx.Err() != nil {
		return Event{}, ctx.Err()
	}
	if ctx.Done() == nil {
		return s.Next()
	}
	number, err := s.CallNumber()
	if err != nil {
		return Event{}, err
	}
	over, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-ctx.Done():
			_ = s.CancelCall(number)
		case <-over:
		}
	}()
	event, err := s.Next()
	close(over)
	<-watched
	if e, ok := err.(*Error); ok && e.Status == StatusCancelled && ctx.Err() != nil {
		return Event{}, ctx.Err()
	}
	return event, err
}

// Generate is the text of a whole generation.
func (s *Session) Generate(ctx context.Context) (string, error) {
	var text strings.Builder
	err := s.Stream(ctx, func(event Event) error {
		text.WriteString(event.Text)
		return nil
	})
	return text.String(), err
}

// Logits are those after the last token, copied.
func (s *Session) Logits() (logits []float32, err error) {
	err = s.call(func(handle *C.rondo_session) C.int32_t {
		var pointer *C.float
		var count C.size_t
		status := C.rondo_session_logits(handle, &pointer, &count)
		logits = append(logits, unsafe.Slice((*float32)(unsafe.Pointer(pointer)), int(count))...)
		return status
	})
	return logits, err
}

// Undo takes the last n tokens back.
func (s *Session) Undo(n uint64) error {
	return s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_undo(handle, C.uint64_t(n))
	})
}

// Reset takes all tokens back. The options stay.
func (s *Session) Reset() error {
	return s.call(func(handle *C.rondo_session) C.int32_t { return C.rondo_session_reset(handle) })
}

// Position is how many tokens the sequence has.
func (s *Session) Position() (uint64, error) {
	var position C.uint64_t
	err := s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_position(handle, &position)
	})
	return uint64(position), err
}

// Remaining is how many more tokens fit; math.MaxUint64 under PolicySlide.
func (s *Session) Remaining() (uint64, error) {
	var tokens C.uint64_t
	err := s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_remaining(handle, &tokens)
	})
	return uint64(tokens), err
}

// Evicted: under PolicySlide the positions from begin to before end are no longer seen.
func (s *Session) Evicted() (begin, end uint64, err error) {
	var from, to C.uint64_t
	err = s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_evicted(handle, &from, &to)
	})
	return uint64(from), uint64(to), err
}

// Stats counts what was done for this session.
func (s *Session) Stats() (SessionCounters, error) {
	counters := C.rondo_session_counters{struct_size: C.sizeof_rondo_session_counters}
	err := s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_stats(handle, &counters)
	})
	return sessionCountersOf(&counters), err
}

// Progress is how many tokens of a prompt are evaluated, and of how many. From any goroutine.
func (s *Session) Progress() (done, total uint64, err error) {
	handle, err := s.enter()
	if err != nil {
		return 0, 0, err
	}
	defer s.leave()
	var of, all C.uint64_t
	err = check(C.rondo_session_progress(handle, &of, &all))
	return uint64(of), uint64(all), err
}

// Tokens are those that the session remembers, the last ones up to Position; -1 for a row of an
// input.
func (s *Session) Tokens() (ids []int32, err error) {
	position, err := s.Position()
	if err != nil {
		return nil, err
	}
	ids = make([]int32, position)
	var begin C.uint64_t
	var count C.size_t
	err = s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_tokens(handle, &begin, first(ids), C.size_t(len(ids)), &count)
	})
	return ids[:count], err
}

// CallNumber is the number of the call that computes in another goroutine, or else of the next one.
// From any goroutine.
func (s *Session) CallNumber() (uint64, error) {
	handle, err := s.enter()
	if err != nil {
		return 0, err
	}
	defer s.leave()
	var number C.uint64_t
	err = check(C.rondo_session_call(handle, &number))
	return uint64(number), err
}

// CancelCall ends the call of this number, and no other, with StatusCancelled: nothing where it is
// over. From any goroutine.
func (s *Session) CancelCall(number uint64) error {
	handle, err := s.enter()
	if err != nil {
		return err
	}
	defer s.leave()
	return check(C.rondo_session_cancel_call(handle, C.uint64_t(number)))
}

// Cancel ends the call that runs in another goroutine, or else the next one that computes, with
// StatusCancelled. From any goroutine.
func (s *Session) Cancel() error {
	handle, err := s.enter()
	if err != nil {
		return err
	}
	defer s.leave()
	return check(C.rondo_session_cancel(handle))
}

// Fork opens a session with the same tokens, and with options of its own.
func (s *Session) Fork(options SessionOptions) (*Session, error) {
	handle, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer s.leave()
	var fork *C.rondo_session
	err = options.with(s.engine, func(raw *C.rondo_session_options) error {
		return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
			return C.rondo_session_fork(handle, raw, &fork, message, bytes)
		})
	})
	if err != nil {
		return nil, err
	}
	return newSession(fork, s.engine), nil
}

// Save is the session as bytes. They hold the conversation: keep them as secret as its text.
func (s *Session) Save() (snapshot []byte, err error) {
	err = s.call(func(handle *C.rondo_session) C.int32_t {
		var size C.size_t
		if status := C.rondo_session_save(handle, nil, 0, &size); Status(status) != StatusBufferTooSmall {
			return status
		}
		snapshot = make([]byte, size)
		return C.rondo_session_save(handle, unsafe.Pointer(&snapshot[0]), size, &size)
	})
	return snapshot, err
}

// Restore becomes what was saved. On failure the session is as before.
func (s *Session) Restore(snapshot []byte) error {
	return s.call(func(handle *C.rondo_session) C.int32_t {
		var bytes unsafe.Pointer
		if len(snapshot) > 0 {
			bytes = unsafe.Pointer(&snapshot[0])
		}
		return C.rondo_session_restore(handle, bytes, C.size_t(len(snapshot)))
	})
}
