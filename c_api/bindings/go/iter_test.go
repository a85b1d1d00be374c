//go:build go1.23

package rondo

import "testing"

func TestRange(t *testing.T) {
	f := newFixture(t)
	text := ""
	for event, err := range f.session(SessionOptions{MaxTokens: 16}).Stream(ctx, prompt).All() {
		f.must(err)
		text += event.Text
	}
	f.equal(text, f.text)
	for event, err := range f.session(SessionOptions{MaxTokens: 16}).Stream(ctx, prompt).All() {
		f.must(err)
		_ = event
		break
	}
	n := 0
	for _, err := range f.session(SessionOptions{}).ChatStream(ctx, Chat{}).All() {
		f.fails(err, StatusUnsupported, "")
		n++
	}
	f.equal(n, 1)
}
