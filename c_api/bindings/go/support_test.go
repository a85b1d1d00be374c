package rondo

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
)

var ctx = context.Background()

const prompt = "Today's weather is so"

// A whole life with the tiny model, whose file RONDO_TEST_MODEL names.
type fixture struct {
	*testing.T
	model  *Model
	engine *Engine
	ids    []int32
	text   string // 16 tokens after the prompt
}

func newFixture(t *testing.T) *fixture {
	path := os.Getenv("RONDO_TEST_MODEL")
	if path == "" {
		t.Skip("RONDO_TEST_MODEL is not set")
	}
	f := &fixture{T: t}
	var err error
	f.model, err = Open(path)
	f.must(err)
	f.engine, err = f.model.Engine(ctx, EngineOptions{Context: 256, MaxSessions: 4})
	f.must(err)
	f.ids, err = f.model.Tokenize(prompt, true)
	f.must(err)
	f.text = f.generate(f.session(SessionOptions{MaxTokens: 16}), f.ids)
	t.Cleanup(func() { // in any order
		f.model.Close()
		f.engine.Close()
	})
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) equal(got, want any) {
	f.Helper()
	if !reflect.DeepEqual(got, want) {
		f.Fatalf("got %v, want %v", got, want)
	}
}

func (f *fixture) fails(err error, status Status, words string) {
	f.Helper()
	if !errors.Is(err, status) || !strings.Contains(err.Error(), words) {
		f.Fatalf("got %v, want %v and %q", err, status, words)
	}
}

// Calls take for each token up to the end.
func (f *fixture) each(session *Session, take func(Event)) {
	f.Helper()
	stream := session.Continue(ctx)
	for stream.Next() {
		take(stream.Event())
	}
	f.must(stream.Err())
}

func (f *fixture) session(options SessionOptions) *Session {
	f.Helper()
	session, err := f.engine.Session(options)
	f.must(err)
	f.Cleanup(func() { session.Close() })
	return session
}

// The text after these tokens; the session is closed then.
func (f *fixture) generate(session *Session, ids []int32) string {
	f.Helper()
	if ids != nil {
		f.must(session.Prefill(ctx, ids))
	}
	text, err := session.Continue(ctx).Text()
	f.must(err)
	session.Close()
	return text
}
