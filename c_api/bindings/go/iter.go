//go:build go1.23

package rondo

import "iter"

// All is the stream as a range: for event, err := range session.Stream(ctx, prompt).All(). An error is
// the last that comes.
func (t *Stream) All() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for t.Next() {
			if !yield(t.event, nil) {
				return
			}
		}
		if t.err != nil {
			yield(Event{}, t.err)
		}
	}
}

// All is the stream as a range, as Stream.All is.
func (t *ChatStream) All() iter.Seq2[ChatPart, error] {
	return func(yield func(ChatPart, error) bool) {
		for t.Next() {
			if !yield(t.part, nil) {
				return
			}
		}
		if t.err != nil {
			yield(ChatPart{}, t.err)
		}
	}
}
