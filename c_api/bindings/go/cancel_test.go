package rondo

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"
)

// An engine on which a call takes long enough to be cancelled.
func (f *fixture) slow() (*Session, []int32) {
	f.Helper()
	engine, err := f.model.Engine(ctx, EngineOptions{Context: 512, MaxRows: 4, DutyPercent: 5, NoPrefixCache: true})
	f.must(err)
	f.Cleanup(func() { engine.Close() })
	session, err := engine.Session(SessionOptions{IgnoreEOS: true})
	f.must(err)
	return session, make([]int32, 400)
}

// b35
func TestCancelFromElsewhere(t *testing.T) {
	f := newFixture(t)
	session, long := f.slow()
	failed := make(chan error)
	go func() { failed <- session.Prefill(ctx, long) }()
	f.running(session)
	f.must(session.Cancel())
	f.fails(<-failed, StatusCancelled, "")
	_, err := session.GenerateIDs(contextOf(t, 200*time.Millisecond), f.ids)
	f.equal(errors.Is(err, context.DeadlineExceeded), true)
	f.must(session.Prefill(ctx, f.ids))
}

// Waits for the session's call to compute.
func (f *fixture) running(session *Session) {
	f.Helper()
	for begin := time.Now(); time.Since(begin) < 10*time.Second; time.Sleep(time.Millisecond) {
		if _, total, err := session.Progress(); err == nil && total > 0 {
			return
		}
	}
	f.Fatal("it does not run")
}

func contextOf(t *testing.T, limit time.Duration) context.Context {
	within, stop := context.WithTimeout(ctx, limit)
	t.Cleanup(stop)
	return within
}

// b36
func TestCancelNamesItsCall(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{MaxTokens: 16})
	over, err := session.CallNumber()
	f.must(err)
	f.must(session.Prefill(ctx, f.ids))
	f.must(session.CancelCall(over)) // nothing happens
	next, err := session.CallNumber()
	f.must(err)
	f.equal(next, over+1)
	text, err := session.Continue(ctx).Text()
	f.must(err)
	f.equal(text, f.text)
	waits, err := session.CallNumber()
	f.must(err)
	f.must(session.CancelCall(waits))
	f.fails(session.Prefill(ctx, f.ids), StatusCancelled, "")
	f.must(session.Prefill(ctx, f.ids))
	f.fails(session.CancelCall(waits+9), StatusInvalidArgument, "")

	// A context that is done late ends no call behind its own.
	f.must(session.Reset())
	for i := 0; i < 200; i++ {
		within, stop := context.WithCancel(ctx)
		go stop()
		if err := session.Prefill(within, f.ids); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		f.must(session.Prefill(ctx, f.ids))
		position, err := session.Position()
		f.must(err)
		f.must(session.Undo(position)) // unlike Reset it drops no cancel that waits
	}
}

// b37: each call that computes ends with its context, before it and in it.
func TestContexts(t *testing.T) {
	f := newFixture(t)
	ended, stop := context.WithCancel(ctx)
	stop()
	session, long := f.slow()
	for name, call := range map[string]func(context.Context) error{
		"Prefill":       func(c context.Context) error { return session.Prefill(c, long) },
		"PrefillLogits": func(c context.Context) error { return session.PrefillLogits(c, long, func(int, []float32) {}) },
		"Generate":      func(c context.Context) error { _, err := session.GenerateIDs(c, long); return err },
		"Stream":        func(c context.Context) error { _, err := session.Stream(c, prompt).Text(); return err },
	} {
		for _, within := range []context.Context{ended, contextOf(t, 50*time.Millisecond)} {
			f.must(session.Reset())
			begin := time.Now()
			err := call(within)
			if !errors.Is(err, within.Err()) || !errors.Is(err, ErrCancelled) || time.Since(begin) > 5*time.Second {
				t.Fatalf("%s: %v after %v", name, err, time.Since(begin))
			}
		}
		f.fails(call(nil), StatusInvalidArgument, "context is nil") //nolint:staticcheck
	}
	f.must(session.Reset())
	f.must(session.Append(long))
	for err := error(nil); !errors.Is(err, ErrCancelled); _, err = session.Event() {
		if err := session.engine.Step(contextOf(t, time.Millisecond), session); err != nil {
			f.fails(err, StatusCancelled, "")
		}
	}
	_, err := f.model.Engine(ended, EngineOptions{})
	f.equal(errors.Is(err, context.Canceled), true)
	within, stop := context.WithCancel(ctx)
	defer stop()
	_, err = f.model.Engine(within, EngineOptions{Progress: func(done, total uint64) bool { stop(); return true }})
	f.equal(err == nil || errors.Is(err, context.Canceled), true) // it may be ready before
	embedder, sessions := newEmbedder(t, "RONDO_TEST_EMBEDDER")
	_, err = sessions[0].Embed(ended, []int32{1}, 0)
	f.equal(errors.Is(err, context.Canceled), true)
	_, err = embedder.engine.Embed(ended, []string{"a"}, EmbedOptions{})
	f.equal(errors.Is(err, context.Canceled), true)
}

// Tokens take no goroutine each, and none stays behind.
func TestGoroutines(t *testing.T) {
	f := newFixture(t)
	before := runtime.NumGoroutine()
	within, stop := context.WithCancel(ctx)
	defer stop()
	session := f.session(SessionOptions{MaxTokens: 16})
	stream := session.Stream(within, prompt)
	for n := 0; stream.Next(); n++ {
		f.equal(runtime.NumGoroutine() <= before+1, true)
	}
	f.must(stream.Err())
	left := f.session(SessionOptions{})
	f.equal(left.Stream(within, prompt).Next(), true)
	left.Close()
	for begin := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(begin) > 5*time.Second {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// b38
func TestTwoCallsAtOnce(t *testing.T) {
	f := newFixture(t)
	session, long := f.slow()
	failed := make(chan error)
	go func() { failed <- session.Prefill(ctx, long) }()
	f.running(session)
	f.fails(session.Prefill(ctx, f.ids), StatusBusy, "")
	_, err := session.Position()
	f.fails(err, StatusBusy, "")
	f.fails(session.engine.Step(ctx, session), StatusBusy, "")
	f.fails(session.engine.Step(ctx, nil, session), StatusInvalidArgument, "session 0 is nil")
	f.must(session.Close()) // ends the call
	if err := <-failed; !errors.Is(err, ErrCancelled) {
		t.Fatal(err)
	}
	twice := f.session(SessionOptions{})
	f.fails(f.engine.Step(ctx, twice, twice), StatusInvalidArgument, "session 1 is session 0")
	_, err = twice.Position()
	f.must(err) // nothing is left held
}

// b39
func TestSessionsAtOnce(t *testing.T) {
	f := newFixture(t)
	options := SessionOptions{MaxTokens: 100, IgnoreEOS: true}
	alone, err := f.session(options).Generate(ctx, prompt)
	f.must(err)
	for try := 0; try < 20; try++ { // a busy machine may begin one when another is done
		before, err := f.engine.Stats()
		f.must(err)
		texts, begin := make([]string, 3), make(chan struct{})
		var all sync.WaitGroup
		for i := range texts {
			i, session := i, f.session(options)
			all.Add(1)
			go func() {
				defer all.Done()
				defer session.Close()
				<-begin
				texts[i], _ = session.Generate(ctx, prompt)
			}()
		}
		close(begin)
		all.Wait()
		f.equal(texts, []string{alone, alone, alone})
		after, err := f.engine.Stats()
		f.must(err)
		if after.Passes-before.Passes < 3*100-50 {
			return
		}
	}
	t.Fatal("they are not served together")
}

// b40: a panic and runtime.Goexit in what is called back.
func TestCallbacksThatEnd(t *testing.T) {
	f := newFixture(t)
	broken, other := f.session(SessionOptions{MaxTokens: 16}), f.session(SessionOptions{MaxTokens: 16})
	end := map[string]func(){"panic": func() { panic("of the callback") }, "Goexit": runtime.Goexit}
	picture := Image{Format: PixelsGray8, Width: 8, Height: 8, Planes: [3][]byte{make([]byte, 64)}}
	seeing := newSeeing(t)
	for name, end := range end {
		for _, call := range []func(){
			func() { _ = broken.PrefillLogits(ctx, f.ids, func(int, []float32) { end() }) },
			func() {
				_, _ = f.model.Engine(ctx, EngineOptions{Progress: func(_, _ uint64) bool { end(); return true }})
			},
			func() {
				_, _ = seeing.engine.Media(ctx, picture, ImageOptions{Progress: func(_, _ uint64) bool { end(); return true }})
			},
		} {
			thrown := make(chan any)
			go func() {
				defer func() { thrown <- recover() }()
				runtime.LockOSThread() // as one that the engine could know again
				call()
				t.Error("it returned")
			}()
			if got := <-thrown; (name == "panic") != (got == "of the callback") {
				t.Fatalf("%s: %v", name, got)
			}
		}
		f.must(broken.Reset())
		for _, session := range []*Session{broken, other} {
			f.must(session.Reset())
			text, err := session.Generate(contextOf(t, 10*time.Second), prompt)
			f.must(err)
			f.equal(text, f.text)
		}
	}
	media, err := seeing.engine.Media(ctx, picture, ImageOptions{})
	f.must(err)
	media.Close()
	// Others are served in the callback.
	f.must(other.Reset())
	f.must(broken.Reset())
	f.must(broken.PrefillLogits(ctx, f.ids, func(index int, _ []float32) {
		f.fails(broken.Reset(), StatusBusy, "")
		if index == 0 {
			f.must(other.Prefill(ctx, f.ids))
		}
	}))
}
