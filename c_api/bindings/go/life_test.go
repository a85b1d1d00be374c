package rondo

import (
	"errors"
	"io"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// All that can be closed, each open.
func (f *fixture) all() map[string]io.Closer {
	f.Helper()
	grammar, err := f.model.PatternGrammar("a", GrammarOptions{})
	f.must(err)
	adapter, err := f.model.Adapter(os.Getenv("RONDO_TEST_ADAPTER"))
	f.must(err)
	parser, err := f.calling().ChatParser(ask)
	f.must(err)
	media, err := newSeeing(f.T).engine.Media(ctx, Image{Format: PixelsGray8, Width: 2, Height: 2,
		Planes: [3][]byte{make([]byte, 4)}}, ImageOptions{})
	f.must(err)
	return map[string]io.Closer{"model": f.model, "engine": f.engine, "session": f.session(SessionOptions{}),
		"grammar": grammar, "adapter": adapter, "parser": parser, "media": media}
}

// b41, b42: whatever is called on it, with arguments of nothing. So are objects that were never opened.
func TestClosed(t *testing.T) {
	f, open := newFixture(t), newFixture(t)
	for name, object := range f.all() {
		f.must(object.Close())
		f.must(object.Close())
		nothing := reflect.New(reflect.TypeOf(object).Elem()).Interface()
		for _, object := range []any{object, nothing} {
			called := 0
			value := reflect.ValueOf(object)
			for i := 0; i < value.NumMethod(); i++ {
				method := value.Type().Method(i).Name
				results := value.Method(i).Call(open.arguments(value.Method(i).Type()))
				last := results[len(results)-1]
				err, _ := last.Interface().(error)
				switch stream := results[0].Interface().(type) {
				case *Stream:
					_, err = stream.Text()
				case *ChatStream:
					_, err = stream.Reply()
				}
				if method == "Close" && err == nil {
					continue
				}
				if !errors.Is(err, ErrClosed) {
					t.Errorf("%s.%s of what is closed: %v", name, method, err)
				}
				called++
			}
			f.equal(called > 0 || name == "grammar", true) // which can be closed alone
		}
	}
}

// Arguments of these types that are right enough to get to the object.
func (f *fixture) arguments(method reflect.Type) (arguments []reflect.Value) {
	for i := 0; i < method.NumIn(); i++ {
		in := method.In(i)
		switch {
		case method.IsVariadic() && i == method.NumIn()-1:
			if in.Elem() == reflect.TypeOf((*Session)(nil)) {
				arguments = append(arguments, reflect.ValueOf(f.session(SessionOptions{})))
			}
		case in == reflect.TypeOf((*any)(nil)).Elem():
			arguments = append(arguments, reflect.ValueOf(map[string]any{}))
		case in.Kind() == reflect.Interface:
			arguments = append(arguments, reflect.ValueOf(ctx))
		case in == reflect.TypeOf([]*Session{}):
			arguments = append(arguments, reflect.ValueOf([]*Session{f.session(SessionOptions{})}))
		default:
			arguments = append(arguments, reflect.Zero(in))
		}
	}
	return arguments
}

// b43, b47: in any order, by defer.
func TestOrderOfClosing(t *testing.T) {
	f := newFixture(t)
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		model, err := Open(os.Getenv("RONDO_TEST_MODEL"))
		f.must(err)
		engine, err := model.Engine(ctx, EngineOptions{Context: 64})
		f.must(err)
		session, err := engine.Session(SessionOptions{MaxTokens: 16})
		f.must(err)
		for _, i := range order {
			if i == 2 { // also without the model, of which it has what it needs
				text, err := session.Generate(ctx, prompt)
				f.must(err)
				f.equal(text, f.text)
			}
			f.must([]io.Closer{model, engine, session}[i].Close())
		}
	}
	var session *Session
	func() {
		session = f.session(SessionOptions{})
		defer session.Close()
		_, err := session.Position()
		f.must(err)
	}()
	_, err := session.Position()
	f.equal(err, ErrClosed)
}

// b44
func TestLogitsAreCopies(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{})
	var rows [][]float32
	f.must(session.PrefillLogits(ctx, f.ids, func(_ int, logits []float32) { rows = append(rows, logits) }))
	logits, err := session.Logits(ctx)
	f.must(err)
	same := append([]float32{}, logits...)
	_, err = session.Next(ctx)
	f.must(err)
	session.Close()
	f.engine.Close()
	f.model.Close()
	f.equal(logits, same)
	f.equal(rows[len(rows)-1], same)
}

// Megabytes that the process has in memory.
func resident(t *testing.T) int {
	state, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc here")
	}
	found := regexp.MustCompile(`VmRSS:\s*(\d+)`).FindSubmatch(state)
	size, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return size / 1024
}

// b45
func TestWhatNobodyHolds(t *testing.T) {
	f := newFixture(t)
	path := os.Getenv("RONDO_TEST_MODEL")
	forgotten := 0
	make := func() {
		model, err := Open(path)
		f.must(err)
		engine, err := model.Engine(ctx, EngineOptions{Context: 512, MaxSessions: 8, KVFormat: KVFloat32})
		f.must(err)
		session, err := engine.Session(SessionOptions{})
		f.must(err)
		f.must(session.Prefill(ctx, f.ids))
		memory, err := engine.Memory()
		f.must(err)
		forgotten += int(memory.ArenaBytes >> 20)
	}
	for i := 0; i < 20; i++ {
		make()
	}
	begun := resident(t)
	for i := 0; i < 80; i++ {
		make()
	}
	if grown := resident(t) - begun; grown > 150 || forgotten < 3*150 {
		t.Fatalf("%d MB more, of %d", grown, forgotten)
	}
	for i := 0; i < 4; i++ { // sessions before the models that they keep
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
}

// b46
func TestCopies(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{MaxTokens: 16})
	copied, engine, model := *session, *f.engine, *f.model
	f.must(copied.Prefill(ctx, f.ids))
	position, err := session.Position()
	f.must(err)
	f.equal(position, uint64(len(f.ids)))
	f.must(copied.Close())
	f.must(session.Close())
	_, err = session.Position()
	f.equal(err, ErrClosed)
	f.must(engine.Close())
	_, err = f.engine.Stats()
	f.equal(err, ErrClosed)
	f.must(model.Close())
	_, err = f.model.Info()
	f.equal(err, ErrClosed)
}

// b49
func TestUndoAndReset(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{MaxTokens: 16})
	text, err := session.Generate(ctx, prompt)
	f.must(err)
	fork, err := session.Fork(SessionOptions{MaxTokens: 16})
	f.must(err)
	f.must(session.Undo(10))
	position, err := session.Position()
	f.must(err)
	f.equal(position, uint64(len(f.ids)+6))
	f.fails(session.Undo(1000), StatusInvalidArgument, "")
	f.must(session.Reset())
	again, err := session.Generate(ctx, prompt)
	f.must(err)
	f.equal(again, text)
	position, err = fork.Position()
	f.must(err)
	f.equal(position, uint64(len(f.ids)+16))
	fork.Close()
}
