package rondo

import (
	"context"
	"strings"
)

// Stream is a generation that goes on as it is read, a token at a time:
//
//	stream := session.Stream(ctx, "Once upon a time")
//	for stream.Next() {
//		fmt.Print(stream.Event().Text)
//	}
//	err := stream.Err()
//
// From Go 1.23 on, All is a range in its place. Nothing is computed ahead, so that a stream may be left at
// any time, and the session used for something else; where another generation of it has begun since, it fails
// with ErrBusy. Where the context is done, so is the running call, and the session stands as before it.
type Stream struct {
	session *Session
	ctx     context.Context
	begin   func() error // what comes before the first token; nil: it has begun
	number  uint64       // of the session's generations
	event   Event
	err     error
	over    bool
}

// Stream appends a text and generates what follows.
func (s *Session) Stream(ctx context.Context, prompt string) *Stream {
	return &Stream{session: s, ctx: ctx, begin: func() error {
		ids, err := s.tokenize(prompt)
		if err != nil {
			return err
		}
		return s.Prefill(ctx, ids)
	}}
}

// StreamIDs is Stream with a text's ids.
func (s *Session) StreamIDs(ctx context.Context, ids []int32) *Stream {
	return &Stream{session: s, ctx: ctx, begin: func() error { return s.Prefill(ctx, ids) }}
}

// Continue generates what follows what the session has.
func (s *Session) Continue(ctx context.Context) *Stream {
	return &Stream{session: s, ctx: ctx, begin: func() error { return nil }}
}

// Generate appends a text and is the text that follows.
func (s *Session) Generate(ctx context.Context, prompt string) (string, error) {
	return s.Stream(ctx, prompt).Text()
}

// GenerateIDs is Generate with a text's ids.
func (s *Session) GenerateIDs(ctx context.Context, ids []int32) (string, error) {
	return s.StreamIDs(ctx, ids).Text()
}

// A text's ids: with what the model expects around one where nothing is before it.
func (s *Session) tokenize(text string) ([]int32, error) {
	position, err := s.Position()
	if err != nil {
		return nil, err
	}
	return s.engine.model.Tokenize(text, position == 0)
}

// Next generates one token, which Event tells. False: the generation is over, or failed, as Err tells.
func (t *Stream) Next() bool {
	if t.over {
		return false
	}
	if t.begin != nil {
		t.err, t.begin = t.begin(), nil
		if t.err == nil && t.session != nil && t.session.state != nil {
			t.number = t.session.state.generation.Add(1)
		}
	}
	if t.err == nil {
		t.event, t.err = t.session.next(t.ctx, t.number)
	}
	t.over = t.err != nil || t.event.Reason != ReasonNone
	if t.over && t.session != nil && t.session.state != nil {
		t.session.state.watch.rest()
	}
	return t.err == nil
}

// Event is what the last Next brought.
func (t *Stream) Event() Event { return t.event }

// Err is why the stream failed; nil: it did not.
func (t *Stream) Err() error { return t.err }

// Text generates all that is left and is its text, where it fails as far as it came.
func (t *Stream) Text() (string, error) {
	var text strings.Builder
	for t.Next() {
		text.WriteString(t.event.Text)
	}
	return text.String(), t.err
}
