package rondo

// #include <rondo/rondo.h>
import "C"

import (
	"context"
	"sync"
)

// Ends calls on a session whose contexts are done. One goroutine waits for all calls with the same
// context, so that a token costs none; it ends with the context, the session, the generation or the next
// call with another context, and holds no session.
type watcher struct {
	mutex  sync.Mutex
	done   <-chan struct{} // of the context that is waited for
	stop   chan struct{}   // nil: nobody waits
	cancel func()          // ends the call that runs; nil: none does
}

// Runs call, which computes on these sessions.
func (w *watcher) within(ctx context.Context, sessions []*C.rondo_session, call func() error) error {
	if err := done(ctx); err != nil {
		return err
	}
	if ctx.Done() == nil {
		return call()
	}
	numbers := make([]C.uint64_t, len(sessions))
	for i, session := range sessions {
		if err := check(C.rondo_session_call(session, &numbers[i])); err != nil {
			return err
		}
	}
	cancel := func() {
		for i, session := range sessions {
			C.rondo_session_cancel_call(session, numbers[i])
		}
	}
	w.begin(ctx, cancel)
	defer w.end()
	// Where it was done before there was something to cancel. The call is made all the same: it takes the
	// number with it, for which a cancel may wait.
	if ctx.Err() != nil {
		cancel()
	}
	return endedBy(ctx, call())
}

func (w *watcher) begin(ctx context.Context, cancel func()) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.cancel = cancel
	if w.stop != nil && w.done == ctx.Done() {
		return
	}
	w.quit()
	w.done, w.stop = ctx.Done(), make(chan struct{})
	go w.wait(w.done, w.stop)
}

func (w *watcher) end() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.cancel = nil
}

func (w *watcher) wait(done <-chan struct{}, stop chan struct{}) {
	select {
	case <-stop:
	case <-done:
		w.mutex.Lock()
		defer w.mutex.Unlock()
		if w.stop == stop && w.cancel != nil {
			w.cancel()
		}
	}
}

// Nothing more is to be waited for.
func (w *watcher) rest() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.quit()
}

func (w *watcher) quit() {
	if w.stop != nil {
		close(w.stop)
	}
	w.stop, w.done = nil, nil
}
