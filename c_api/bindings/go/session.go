package rondo

// #include <rondo/rondo.h>
import "C"

import (
	"context"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Session is one sequence of tokens.
type Session struct {
	engine *Engine
	state  *sessionState
}

type sessionState struct {
	*object[*C.rondo_session]
	one   sync.Mutex // held by the call that is in it
	watch *watcher
	// Number of the generation that was begun last: an older one is over.
	generation atomic.Uint64
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
	watch, model := &watcher{}, engine.model.state
	_, _ = model.enterKept() // it is there: the engine or the forked session keeps it
	return &Session{engine, &sessionState{watch: watch,
		object: newObject(handle, func(handle *C.rondo_session) {
			watch.rest()
			C.rondo_session_close(handle)
			model.leave()
		})}}
}

// For calls that may be made beside another.
func (s *Session) beside(call func(*C.rondo_session) C.int32_t) error {
	if s == nil || s.state == nil {
		return ErrClosed
	}
	return s.state.use(func(handle *C.rondo_session) error { return check(call(handle)) })
}

// Holds the session for one call.
func (s *Session) hold() (*C.rondo_session, error) {
	if s == nil || s.state == nil {
		return nil, ErrClosed
	}
	handle, err := s.state.enter()
	if err != nil {
		return nil, err
	}
	if !s.state.one.TryLock() {
		s.state.leave()
		return nil, &Error{Status: StatusBusy, Message: "the session is in another call"}
	}
	return handle, nil
}

func (s *Session) release() {
	s.state.one.Unlock()
	s.state.leave()
}

// Close gives the session up and frees its place; a call that another goroutine is in is cancelled.
// Closing twice does nothing. It never fails.
func (s *Session) Close() error {
	if s == nil || s.state == nil || !s.state.close() {
		return nil
	}
	s.state.watch.rest()
	C.rondo_session_cancel(s.state.handle) // of the call that still is in it
	return nil
}

func told(handle *C.rondo_session, status C.int32_t) error {
	if status == 0 {
		return nil
	}
	if Status(status) == StatusBusy { // the message belongs to the other call
		return check(status)
	}
	return failed(status, C.GoString(C.rondo_session_last_error(handle)))
}

func (s *Session) call(function func(*C.rondo_session) C.int32_t) error {
	handle, err := s.hold()
	if err != nil {
		return err
	}
	defer s.release()
	return told(handle, function(handle))
}

// For calls that compute, of which each has a number.
func (s *Session) compute(ctx context.Context, function func(*C.rondo_session) C.int32_t) error {
	handle, err := s.hold()
	if err != nil {
		return err
	}
	defer s.release()
	return s.within(ctx, handle, function)
}

func (s *Session) within(ctx context.Context, handle *C.rondo_session,
	function func(*C.rondo_session) C.int32_t) error {
	return s.state.watch.within(ctx, []*C.rondo_session{handle}, func() error {
		return told(handle, function(handle))
	})
}

// Prefill appends and evaluates a prompt, or the next turn of a conversation. All or nothing.
func (s *Session) Prefill(ctx context.Context, ids []int32) error {
	return s.compute(ctx, func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_prefill(handle, first(ids), C.size_t(len(ids)))
	})
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

// An event, copied while the session is held.
func eventOf(raw *C.rondo_event) Event {
	return Event{int32(raw.token), goString(raw.text, raw.text_bytes),
		[]byte(goString(raw.bytes, raw.bytes_count)), Reason(raw.reason), float32(raw.logprob),
		uint64(raw.pending), uint64(raw.taken_over), Channel(raw.channel)}
}

// Next generates one token.
func (s *Session) Next(ctx context.Context) (Event, error) { return s.next(ctx, 0) }

// Of the generation of this number; 0: of whichever.
func (s *Session) next(ctx context.Context, generation uint64) (event Event, err error) {
	if generation != 0 && s.state.generation.Load() != generation {
		return event, &Error{Status: StatusBusy, Message: "another generation of the session has begun"}
	}
	err = s.compute(ctx, func(handle *C.rondo_session) C.int32_t {
		raw := C.rondo_event{struct_size: C.sizeof_rondo_event}
		status := C.rondo_session_next(handle, &raw)
		event = eventOf(&raw)
		return status
	})
	return event, err
}

// Event is what the last step of the engine had for this session, once.
func (s *Session) Event() (event Event, err error) {
	err = s.call(func(handle *C.rondo_session) C.int32_t {
		raw := C.rondo_event{struct_size: C.sizeof_rondo_event}
		status := C.rondo_session_event(handle, &raw)
		event = eventOf(&raw)
		return status
	})
	return event, err
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
	var of, all C.uint64_t
	err = s.beside(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_progress(handle, &of, &all)
	})
	return uint64(of), uint64(all), err
}

// Tokens are those that the session remembers, the last ones up to Position; -1 for a row of an
// input.
func (s *Session) Tokens() (ids []int32, err error) {
	err = s.call(func(handle *C.rondo_session) C.int32_t {
		var begin C.uint64_t
		var count C.size_t
		status := C.rondo_session_tokens(handle, &begin, nil, 0, &count)
		if Status(status) != StatusBufferTooSmall {
			return status
		}
		ids = make([]int32, count)
		return C.rondo_session_tokens(handle, &begin, first(ids), C.size_t(len(ids)), &count)
	})
	return ids, err
}

// CallNumber is the number of the call that computes in another goroutine, or else of the next one.
// From any goroutine.
func (s *Session) CallNumber() (uint64, error) {
	var number C.uint64_t
	err := s.beside(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_call(handle, &number)
	})
	return uint64(number), err
}

// CancelCall ends the call of this number, and no other, with ErrCancelled: nothing where it is
// over. From any goroutine.
func (s *Session) CancelCall(number uint64) error {
	return s.beside(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_cancel_call(handle, C.uint64_t(number))
	})
}

// Cancel ends the call that runs in another goroutine, or else the next one that computes, with
// ErrCancelled. From any goroutine. A context that is done ends its own call alone.
func (s *Session) Cancel() error {
	return s.beside(func(handle *C.rondo_session) C.int32_t { return C.rondo_session_cancel(handle) })
}

// Fork is a session with the same tokens, and with options of its own.
func (s *Session) Fork(options SessionOptions) (*Session, error) {
	handle, err := s.hold()
	if err != nil {
		return nil, err
	}
	defer s.release()
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
