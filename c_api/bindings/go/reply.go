package rondo

import (
	"context"
	"encoding/json"
)

// Reply is an answer to a conversation.
type Reply struct {
	Text     string
	Thinking string
	Calls    []Call
	Reason   Reason // why it ended
}

// Call is a call of one of Chat.Tools.
type Call struct {
	ID        string // that the model gave it; empty where it writes none
	Name      string // of the function
	Arguments string // JSON
}

// Message is the reply as the conversation's next message.
func (r Reply) Message() Message {
	message := Message{Role: "assistant", Content: r.Text, Thinking: r.Thinking}
	for _, call := range r.Calls {
		message.ToolCalls = append(message.ToolCalls, ToolCall{call.ID, "function",
			Function{call.Name, json.RawMessage(call.Arguments)}})
	}
	return message
}

// ChatStream is an answer that is generated as it is read, in parts: content, thoughts, and calls of
// Chat.Tools. Of the token that completes a stop string what is before that is part of the content. It is
// read, and may be left, as a Stream.
type ChatStream struct {
	stream *Stream
	begin  func() (*ChatParser, error) // nil: it has begun
	parser *ChatParser
	parts  []ChatPart // that were not read yet
	part   ChatPart
	reply  Reply
	err    error
}

// Chat answers a conversation, which takes the place of the session's tokens; what of it the engine computed
// before is not computed again.
func (s *Session) Chat(ctx context.Context, chat Chat) (Reply, error) {
	return s.ChatStream(ctx, chat).Reply()
}

// ChatStream is Chat in parts, as they come.
func (s *Session) ChatStream(ctx context.Context, chat Chat) *ChatStream {
	return &ChatStream{stream: s.Continue(ctx), begin: func() (*ChatParser, error) {
		if s == nil || s.engine == nil {
			return nil, ErrClosed
		}
		ids, err := s.engine.model.ChatIDs(chat)
		if err != nil {
			return nil, err
		}
		parser, err := s.engine.model.ChatParser(chat)
		if err != nil {
			return nil, err
		}
		if err = s.Reset(); err == nil {
			err = s.AppendMedia(ids, chat.Media...) // refuses ids in which pictures are missing
		}
		return parser, err
	}}
}

// Next generates up to the next part, which Part tells. False: the answer is over, or failed, as Err tells.
func (t *ChatStream) Next() bool {
	if t.stream == nil { // of a zero value
		t.err = ErrClosed
		return false
	}
	if t.begin != nil {
		t.parser, t.err = t.begin()
		t.begin = nil
	}
	for t.err == nil && len(t.parts) == 0 && t.stream.Next() {
		t.reply.Reason = t.stream.event.Reason
		t.parts, t.err = t.parser.take(t.stream.event)
	}
	if t.err == nil && len(t.parts) == 0 {
		t.err = t.stream.err
	}
	if t.err != nil || len(t.parts) == 0 {
		_ = t.parser.Close()
		return false
	}
	t.part, t.parts = t.parts[0], t.parts[1:]
	switch t.part.Kind {
	case ChatPartContent:
		t.reply.Text += t.part.Text
	case ChatPartThinking:
		t.reply.Thinking += t.part.Text
	case ChatPartCallEnd:
		t.reply.Calls = append(t.reply.Calls, Call{t.part.ID, t.part.Name, t.part.Arguments})
	}
	return true
}

// Part is what the last Next brought.
func (t *ChatStream) Part() ChatPart { return t.part }

// Err is why the answer failed; nil: it did not.
func (t *ChatStream) Err() error { return t.err }

// Reply reads all that is left and is the whole answer, where it fails as far as it came.
func (t *ChatStream) Reply() (Reply, error) {
	for t.Next() {
	}
	return t.reply, t.err
}
