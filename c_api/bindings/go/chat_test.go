package rondo

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// A model with a template that knows functions and thoughts.
func (f *fixture) calling() *Model {
	f.Helper()
	model, err := Open(os.Getenv("RONDO_TEST_CALLING"))
	f.must(err)
	return model
}

var ask = Chat{Messages: json.RawMessage(`[{"role": "user", "content": "How is the weather?"}]`),
	Tools: json.RawMessage(`[{"type": "function", "function": {"name": "weather", "parameters": {
		"type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"],
		"additionalProperties": false}}}]`)}

// Text is JSON already, whichever type it has.
func TestJSONAsText(t *testing.T) {
	f := newFixture(t)
	want, err := f.calling().RenderChat(ask)
	f.must(err)
	for _, convert := range []func(json.RawMessage) any{
		func(text json.RawMessage) any { return string(text) },
		func(text json.RawMessage) any { return []byte(text) },
	} {
		got, err := f.calling().RenderChat(Chat{Messages: convert(ask.Messages.(json.RawMessage)),
			Tools: convert(ask.Tools.(json.RawMessage))})
		f.must(err)
		f.equal(got, want)
		f.session(SessionOptions{JSONSchema: convert(json.RawMessage(`{"type": "object"}`))}).Close()
	}
}

func TestChatParser(t *testing.T) {
	f := newFixture(t)
	parser, err := f.calling().ChatParser(ask)
	f.must(err)
	answer := "<think>\nso\n</think>\n\nGrüße<tool_call>\n" +
		`{"name": "weather", "arguments": {"city": "Rome"}}` + "\n</tool_call>"
	for i := 0; i < 2; i++ {
		texts := map[ChatPartKind]string{}
		var call, end ChatPart
		take := func() {
			parts, err := parser.Parts()
			f.must(err)
			for _, part := range parts {
				texts[part.Kind] += part.Text
				if part.Kind == ChatPartCall {
					call = part
				}
				end = part
			}
		}
		for j := range []byte(answer) {
			f.must(parser.Push([]byte(answer)[j:j+1], false))
			take()
		}
		f.must(parser.Push(nil, true))
		take()
		f.equal([]string{texts[ChatPartThinking], texts[ChatPartContent]}, []string{"so", "Grüße"})
		f.equal(call, ChatPart{Kind: ChatPartCall, Name: "weather"})
		f.equal(end, ChatPart{Kind: ChatPartCallEnd, Name: "weather", Arguments: `{"city": "Rome"}`})
		f.equal(texts[ChatPartArguments], end.Arguments)
		f.fails(parser.Push([]byte("more"), false), StatusInvalidArgument, "")
		f.must(parser.Reset())
	}
	parser.Close()
	f.equal(parser.Push(nil, false), ErrClosed)
	none := ask
	none.Template = "{{ messages[0].content }}"
	_, err = f.model.ChatParser(none)
	f.fails(err, StatusUnsupported, "")
}

// b29: an answer has a call whose arguments parse.
func TestCalls(t *testing.T) {
	f := newFixture(t)
	model := f.calling()
	rules, err := model.ChatGrammar(ask, CallsOne, "weather")
	f.must(err)
	_, err = model.ChatGrammar(ask, CallsAuto, "absent")
	f.fails(err, StatusInvalidArgument, "absent")
	grammar, err := model.RulesGrammar(rules, GrammarOptions{})
	f.must(err)
	engine, err := model.Engine(ctx, EngineOptions{Context: 256, MaxSessions: 3})
	f.must(err)
	session, err := engine.Session(SessionOptions{Grammar: grammar})
	f.must(err)
	begun, err := model.PatternGrammar("<tool_ca", GrammarOptions{})
	f.must(err)
	content := func(options SessionOptions) string {
		session, err := engine.Session(options)
		f.must(err)
		defer session.Close()
		reply, err := session.Chat(ctx, ask)
		f.must(err)
		f.equal(len(reply.Calls), 0)
		return reply.Text
	}
	f.equal(content(SessionOptions{Grammar: begun}), "<tool_ca") // looks like a call to its end
	// The end is no content.
	f.equal(content(SessionOptions{LogitBias: map[int32]float32{1: 1e9}}), "")
	var parts []ChatPart
	stream := session.ChatStream(ctx, ask)
	for stream.Next() {
		parts = append(parts, stream.Part())
	}
	f.must(stream.Err())
	end := parts[len(parts)-1]
	f.equal([]ChatPartKind{parts[0].Kind, end.Kind}, []ChatPartKind{ChatPartCall, ChatPartCallEnd})
	var arguments struct{ City string }
	f.must(json.Unmarshal([]byte(end.Arguments), &arguments))
	f.equal(arguments.City == "Rome" || arguments.City == "Oslo", true)
	reply, err := stream.Reply()
	f.must(err)
	f.equal(reply.Calls, []Call{{Name: "weather", Arguments: end.Arguments}})

	// The next turn has the call and its result.
	turns := ask
	turns.Messages = []Message{{Role: "user", Content: "How is the weather?"}, reply.Message(),
		{Role: "tool", Content: "clear"}}
	text, err := model.RenderChat(turns)
	f.must(err)
	f.equal(strings.Contains(text, arguments.City) && strings.Contains(text, "clear"), true)
	stream = session.ChatStream(ctx, ask) // left early
	f.equal(stream.Next(), true)
	_, err = session.Chat(ctx, Chat{})
	f.fails(err, StatusInvalidArgument, "")
	begin, ended, err := model.ChatThinking(ask)
	f.must(err)
	f.equal([]string{strings.TrimSpace(begin), strings.TrimSpace(ended)}, []string{"<think>", "</think>"})
}

func TestPlainContent(t *testing.T) {
	f := newFixture(t)
	chat := Chat{Messages: []map[string]string{{"role": "user", "content": "<|pad|>"}}}
	count := func(token int32) (n int) {
		ids, err := f.calling().ChatIDs(chat)
		f.must(err)
		for _, id := range ids {
			if id == token {
				n++
			}
		}
		return n
	}
	f.equal([]int{count(2), count(1)}, []int{0, 1}) // the end is the template's own
	chat.SpecialContent = true
	f.equal(count(2), 1)
}

// b27: an answer, and its parts.
func TestChat(t *testing.T) {
	f := newFixture(t)
	chat := Chat{Messages: []map[string]string{{"role": "user", "content": "Grüße"}}}
	_, err := f.model.RenderChat(chat)
	f.fails(err, StatusUnsupported, "")
	chat.Template = "{{ messages[0].content }}{{ tail }}"
	chat.Variables = map[string]string{"tail": "!"}
	text, err := f.model.RenderChat(chat)
	f.must(err)
	f.equal(text, "Grüße!")
	ids, err := f.model.ChatIDs(chat)
	f.must(err)
	want, err := f.model.Tokenize("Grüße!", false)
	f.must(err)
	f.equal(ids, want)
	session := f.session(SessionOptions{MaxTokens: 16})
	f.must(session.Prefill(ctx, f.ids)) // is taken back
	stream, parts := session.ChatStream(ctx, chat), ""
	for stream.Next() {
		f.equal(stream.Part().Kind, ChatPartContent)
		parts += stream.Part().Text
	}
	f.must(stream.Err())
	reply, err := session.Chat(ctx, chat)
	f.must(err)
	f.equal(reply.Reason, ReasonEOS)
	f.equal([]string{reply.Text, parts}, []string{parts, f.generate(f.session(SessionOptions{MaxTokens: 16}), ids)})
	_, err = session.Chat(ctx, Chat{Template: "x"})
	f.fails(err, StatusInvalidArgument, "")
	_, err = session.Chat(ctx, Chat{Messages: make(chan int)})
	var unsupported *json.UnsupportedTypeError
	f.equal(errors.As(err, &unsupported), true)
	names, err := f.model.ChatTemplateNames()
	f.must(err)
	f.equal(names, []string{})
	_, err = f.model.ChatTemplate("default")
	f.fails(err, StatusInvalidArgument, "")
}
