package rondo

// #include <stdint.h>
// #include <rondo/rondo.h>
//
// int32_t rondoGoProgress(uintptr_t user, uint64_t done, uint64_t total);
//
// static int32_t rondo_go_progress(void* user, uint64_t done, uint64_t total) {
//   return rondoGoProgress((uintptr_t)user, done, total);
// }
//
// static void rondo_go_watch_engine(rondo_engine_options* options, uintptr_t user) {
//   options->progress = user == 0 ? NULL : rondo_go_progress;
//   options->progress_user = (void*)user;
// }
//
// static void rondo_go_watch_image(rondo_image_options* options, uintptr_t user) {
//   options->progress = user == 0 ? NULL : rondo_go_progress;
//   options->progress_user = (void*)user;
// }
import "C"

import (
	"context"
	"runtime/cgo"
	"sync/atomic"
)

// Progress tells how far a call is: done of total. False ends the call with ErrCancelled. It runs on the
// caller's goroutine, beside the work, and may do whatever a function may: what it panics with reaches the
// caller. Where it takes long it misses some of the steps, but not the last one.
type Progress func(done, total uint64) bool

// How far a call is that runs on another goroutine. The library waits for nobody's code.
type progress struct {
	ctx   context.Context
	steps chan [2]uint64 // has the newest one
	over  atomic.Bool    // the call is to end
}

//export rondoGoProgress
func rondoGoProgress(user C.uintptr_t, done, total C.uint64_t) C.int32_t {
	p := cgo.Handle(user).Value().(*progress)
	if p.over.Load() || p.ctx.Err() != nil {
		return 1
	}
	for {
		select {
		case p.steps <- [2]uint64{uint64(done), uint64(total)}:
			return 0
		default:
		}
		select { // in place of one that nobody took
		case <-p.steps:
		default:
		}
	}
}

// Runs call, whose options rondo_go_watch_... has given user; 0: nothing is to be told.
func watched(ctx context.Context, told Progress, call func(user C.uintptr_t) error) error {
	if err := done(ctx); err != nil {
		return err
	}
	if told == nil && ctx.Done() == nil {
		return call(0)
	}
	p := &progress{ctx: ctx, steps: make(chan [2]uint64, 1)}
	handle := cgo.NewHandle(p)
	defer handle.Delete()
	if told == nil {
		return endedBy(ctx, call(C.uintptr_t(handle)))
	}
	var err error
	go func() {
		defer close(p.steps)
		err = call(C.uintptr_t(handle))
	}()
	defer func() { // also where told panics or ends the goroutine
		p.over.Store(true)
		for range p.steps {
		}
	}()
	for step := range p.steps {
		if !p.over.Load() && !told(step[0], step[1]) {
			p.over.Store(true)
		}
	}
	if err == nil && p.over.Load() { // what was made meanwhile is not wanted
		err = check(C.RONDO_STATUS_CANCELLED)
	}
	return endedBy(ctx, err)
}

func watchEngine(options *C.rondo_engine_options, user C.uintptr_t) {
	C.rondo_go_watch_engine(options, user)
}

func watchImage(options *C.rondo_image_options, user C.uintptr_t) {
	C.rondo_go_watch_image(options, user)
}
