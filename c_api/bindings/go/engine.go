package rondo

// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import (
	"runtime"
	"sync"
	"unsafe"
)

// Engine is a model made runnable in one arena.
type Engine struct {
	mutex  sync.RWMutex
	handle *C.rondo_engine
	model  *Model
	// What the model's makers recommend.
	recommended SessionOptions
	// Of vectors, also when the model is closed.
	dimensions int
	// Of rows, likewise.
	hiddenSize int
}

// Engine makes the model runnable.
func (m *Model) Engine(options EngineOptions) (*Engine, error) {
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
	engine := &Engine{model: m, recommended: recommended, dimensions: int(embedder.Dimensions),
		hiddenSize: int(info.HiddenSize)}
	err = m.with(func(handle *C.rondo_model) error {
		return options.with(func(raw *C.rondo_engine_options) error {
			return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
				return C.rondo_engine_create(handle, raw, nil, 0, &engine.handle, message, bytes)
			})
		})
	})
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(engine, (*Engine).Close)
	return engine, nil
}

// Close gives the handle up; open sessions go on. Closing twice does nothing.
func (e *Engine) Close() {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	C.rondo_engine_close(e.handle)
	e.handle = nil
}

func (e *Engine) with(use func(*C.rondo_engine) error) error {
	e.mutex.RLock()
	defer e.mutex.RUnlock()
	if e.handle == nil {
		return ErrClosed
	}
	return use(e.handle)
}

// Memory is the plan that this engine was made by.
func (e *Engine) Memory() (MemoryPlan, error) {
	plan := C.rondo_memory_plan{struct_size: C.sizeof_rondo_memory_plan}
	err := e.with(func(handle *C.rondo_engine) error { return check(C.rondo_engine_memory(handle, &plan)) })
	return memoryPlanOf(&plan), err
}

// MemoryRegion is region number index of that plan.
func (e *Engine) MemoryRegion(index uint32) (MemoryRegion, error) {
	region := C.rondo_memory_region{struct_size: C.sizeof_rondo_memory_region}
	err := e.with(func(handle *C.rondo_engine) error {
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

// Step runs one pass for several sessions of this engine; Session.Event tells what each got.
func (e *Engine) Step(sessions ...*Session) error {
	if len(sessions) == 0 {
		return nil
	}
	return e.withSessions(sessions, func(handle *C.rondo_engine, list **C.rondo_session, n C.size_t) error {
		return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
			return C.rondo_engine_step(handle, list, n, message, bytes)
		})
	})
}

// Handles of sessions, which stay during the call, in memory that is not Go's.
func (e *Engine) withSessions(sessions []*Session,
	use func(handle *C.rondo_engine, list **C.rondo_session, n C.size_t) error) error {
	n := len(sessions)
	list := C.malloc(C.size_t(n+1) * C.size_t(unsafe.Sizeof(uintptr(0))))
	defer C.free(list)
	for i, session := range sessions {
		handle, err := session.enter()
		if err != nil {
			return err
		}
		defer session.leave()
		unsafe.Slice((**C.rondo_session)(list), n)[i] = handle
	}
	return e.with(func(handle *C.rondo_engine) error {
		return use(handle, (**C.rondo_session)(list), C.size_t(n))
	})
}
