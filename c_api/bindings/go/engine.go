package rondo

// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import (
	"context"
	"math"
	"unsafe"
)

// Engine is a model made runnable in one arena.
type Engine struct {
	state *object[*C.rondo_engine]
	// Its own hold on the model, which stays when that is closed.
	model *Model
	// What the model's makers recommend.
	recommended                       SessionOptions
	dimensions, hiddenSize, vocabSize int
	maxSessions                       int
}

// Engine makes the model runnable. Where ctx is done, so is the call.
func (m *Model) Engine(ctx context.Context, options EngineOptions) (*Engine, error) {
	recommended, err := recommendedBy(m)
	if err != nil {
		return nil, err
	}
	embedder, err := m.Embedder()
	if err != nil {
		return nil, err
	}
	info, err := m.Info()
	if err != nil {
		return nil, err
	}
	model := m.state
	if _, err := model.enter(); err != nil {
		return nil, err
	}
	var engine *C.rondo_engine
	kept := false
	defer func() { // also where Progress panics
		if !kept {
			C.rondo_engine_close(engine)
			model.leave()
		}
	}()
	plan := C.rondo_memory_plan{struct_size: C.sizeof_rondo_memory_plan}
	err = options.with(func(raw *C.rondo_engine_options) error {
		return watched(ctx, options.Progress, func(user C.uintptr_t) error {
			watchEngine(raw, user)
			return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
				return C.rondo_engine_create(model.handle, raw, nil, 0, &engine, message, bytes)
			})
		})
	})
	if err == nil {
		err = check(C.rondo_engine_memory(engine, &plan))
	}
	if err != nil {
		return nil, err
	}
	kept = true
	bytes := uint64(plan.arena_bytes)
	native.take(bytes)
	return &Engine{newObject(engine, func(engine *C.rondo_engine) {
		C.rondo_engine_close(engine)
		native.give(bytes)
		model.leave()
	}), &Model{state: model, kept: true}, recommended, embedder.Dimensions, info.HiddenSize,
		info.VocabSize, int(plan.max_sessions)}, nil
}

// Close gives the engine up; open sessions go on. Closing twice does nothing. It never fails.
func (e *Engine) Close() error {
	if e != nil {
		e.state.close()
	}
	return nil
}

func (e *Engine) with(use func(*C.rondo_engine) error) error {
	if e == nil {
		return ErrClosed
	}
	return e.state.use(use)
}

// Memory is the plan that this engine was made by.
func (e *Engine) Memory() (MemoryPlan, error) {
	plan := C.rondo_memory_plan{struct_size: C.sizeof_rondo_memory_plan}
	err := e.with(func(handle *C.rondo_engine) error { return check(C.rondo_engine_memory(handle, &plan)) })
	return memoryPlanOf(&plan), err
}

// MemoryRegion is region number index of that plan.
func (e *Engine) MemoryRegion(index int) (MemoryRegion, error) {
	region := C.rondo_memory_region{struct_size: C.sizeof_rondo_memory_region}
	err := e.with(func(handle *C.rondo_engine) error {
		if index < 0 || uint64(index) > math.MaxUint32 {
			return refused("there is no region %d", index)
		}
		return check(C.rondo_engine_memory_region(handle, C.uint32_t(index), &region))
	})
	return memoryRegionOf(&region), err
}

// Stats counts what the engine did.
func (e *Engine) Stats() (EngineCounters, error) {
	counters := C.rondo_engine_counters{struct_size: C.sizeof_rondo_engine_counters}
	err := e.with(func(handle *C.rondo_engine) error { return check(C.rondo_engine_stats(handle, &counters)) })
	return engineCountersOf(&counters), err
}

// Profile is the next event of the profile from number cursor on, and the number behind it; false:
// there is none.
func (e *Engine) Profile(cursor uint64) (event ProfileEvent, next uint64, ok bool, err error) {
	raw := C.rondo_profile_event{struct_size: C.sizeof_rondo_profile_event}
	number := C.uint64_t(cursor)
	err = e.with(func(handle *C.rondo_engine) error {
		return check(C.rondo_engine_profile(handle, &number, &raw))
	})
	return profileEventOf(&raw), uint64(number), raw.name != nil, err
}

// Session opens an empty session in one of the engine's places. It samples as the model's makers
// recommend it, where the options say nothing else.
func (e *Engine) Session(options SessionOptions) (*Session, error) {
	var session *C.rondo_session
	err := e.with(func(handle *C.rondo_engine) error {
		return options.with(e, func(raw *C.rondo_session_options) error {
			return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
				return C.rondo_session_open(handle, raw, &session, message, bytes)
			})
		})
	})
	if err != nil {
		return nil, err
	}
	return newSession(session, e), nil
}

// Step runs one pass for several sessions of this engine; Session.Event tells what each got: of one that ctx
// ended, ErrCancelled.
func (e *Engine) Step(ctx context.Context, sessions ...*Session) error {
	if len(sessions) == 0 {
		return done(ctx)
	}
	return e.withSessions(ctx, sessions, func(handle *C.rondo_engine, list **C.rondo_session, n C.size_t) error {
		return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
			return C.rondo_engine_step(handle, list, n, message, bytes)
		})
	})
}

// Handles of sessions, which are held during the call, in memory that is not Go's.
func (e *Engine) withSessions(ctx context.Context, sessions []*Session,
	use func(handle *C.rondo_engine, list **C.rondo_session, n C.size_t) error) error {
	n := len(sessions)
	list := C.malloc(C.size_t(n+1) * C.size_t(unsafe.Sizeof(uintptr(0))))
	defer C.free(list)
	handles := unsafe.Slice((**C.rondo_session)(list), n)
	before := map[*sessionState]int{}
	for i, session := range sessions {
		if session == nil {
			return refused("session %d is nil", i)
		}
		if other, twice := before[session.state]; twice {
			return refused("session %d is session %d, too", i, other)
		}
		before[session.state] = i
		handle, err := session.hold()
		if err != nil {
			return err
		}
		defer session.release()
		handles[i] = handle
	}
	watch := &watcher{}
	if n > 0 {
		watch = sessions[0].state.watch
	}
	return watch.within(ctx, append([]*C.rondo_session(nil), handles...), func() error {
		return e.with(func(handle *C.rondo_engine) error {
			return use(handle, (**C.rondo_session)(list), C.size_t(n))
		})
	})
}
