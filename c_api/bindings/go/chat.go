package rondo

// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import (
	"context"
	"encoding/json"
	"runtime"
	"sync"
	"time"
	"unsafe"
)

// Chat is what a conversation is rendered from. Messages, Tools and Variables are values for
// encoding/json, or json.RawMessage.
type Chat struct {
	Messages      any
	Tools         any
	Variables     any
	Template      string // Jinja, in place of the model's own
	TemplateName  string
	NoPrompt      bool      // the text does not end where the assistant's answer begins
	ContinueFinal bool      // the text ends inside of the last message
	LocalTime     time.Time // what the clock on the wall shows; zero: no clock
	// SpecialContent: texts of special tokens in messages become these tokens. Else only what the
	// template itself wrote does.
	SpecialContent bool
}

// ChatPart is a piece of an answer.
type ChatPart struct {
	Kind      ChatPartKind
	Text      string // ChatPartContent, ChatPartThinking, ChatPartArguments: the next piece of it
	Call      uint64 // the call's number, from 0
	Name      string // ChatPartCall and ChatPartCallEnd: of the function
	ID        string // as Name: that the model gave the call; empty where it writes none
	Arguments string // ChatPartCallEnd: all of them, as JSON
}

func (c *Chat) with(use func(*C.rondo_chat_options) error) error {
	raw := (*C.rondo_chat_options)(C.malloc(C.sizeof_rondo_chat_options))
	defer C.free(unsafe.Pointer(raw))
	if err := check(C.rondo_chat_options_init(raw, C.sizeof_rondo_chat_options)); err != nil {
		return err
	}
	if c.ContinueFinal {
		raw.flags = C.RONDO_CHAT_CONTINUE_FINAL
	} else if c.NoPrompt {
		raw.flags = 0
	}
	if !c.SpecialContent {
		raw.flags |= C.RONDO_CHAT_PLAIN_CONTENT
	}
	if !c.LocalTime.IsZero() {
		_, offset := c.LocalTime.Zone()
		raw.local_time = C.int64_t(c.LocalTime.Unix() + int64(offset))
	}
	give := func(pointer **C.char, size *C.size_t, bytes []byte) {
		*pointer, *size = (*C.char)(C.CBytes(bytes)), C.size_t(len(bytes))
	}
	defer func() {
		for _, pointer := range []*C.char{raw.messages, raw.tools, raw.variables, raw.template_text, raw.template_name} {
			C.free(unsafe.Pointer(pointer))
		}
	}()
	for _, part := range []struct {
		value   any
		pointer **C.char
		size    *C.size_t
	}{{c.Messages, &raw.messages, &raw.messages_bytes}, {c.Tools, &raw.tools, &raw.tools_bytes},
		{c.Variables, &raw.variables, &raw.variables_bytes}} {
		if part.value != nil {
			bytes, err := json.Marshal(part.value)
			if err != nil {
				return err
			}
			give(part.pointer, part.size, bytes)
		}
	}
	if c.Template != "" {
		give(&raw.template_text, &raw.template_bytes, []byte(c.Template))
	}
	if c.TemplateName != "" {
		raw.template_name = C.CString(c.TemplateName)
	}
	return use(raw)
}

// For calls that end in (message, message_bytes), until there is room for all outputs; more makes it.
func fitting(call func(message *C.char, bytes C.size_t) C.int32_t, more func()) error {
	for {
		var status C.int32_t
		err := checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
			if status = call(message, bytes); Status(status) == StatusBufferTooSmall {
				return 0
			}
			return status
		})
		if err != nil || status == 0 {
			return err
		}
		more()
	}
}

type chatCall func(*C.rondo_model, *C.rondo_chat_options, *C.char, C.size_t, *C.size_t, *C.char, C.size_t) C.int32_t

// A text of any length that a call gives for a conversation.
func (m *Model) chatText(chat *Chat, call chatCall) (result string, err error) {
	text, length := make([]byte, 4096), C.size_t(0)
	err = m.with(func(handle *C.rondo_model) error {
		return chat.with(func(raw *C.rondo_chat_options) error {
			return fitting(func(message *C.char, bytes C.size_t) C.int32_t {
				return call(handle, raw, (*C.char)(unsafe.Pointer(&text[0])), C.size_t(len(text)), &length,
					message, bytes)
			}, func() { text = make([]byte, length+1) })
		})
	})
	if err != nil {
		return "", err
	}
	return string(text[:length]), nil
}

// RenderChat is the text of a conversation.
func (m *Model) RenderChat(chat Chat) (string, error) {
	return m.chatText(&chat, func(handle *C.rondo_model, raw *C.rondo_chat_options, text *C.char, capacity C.size_t, length *C.size_t, message *C.char, bytes C.size_t) C.int32_t {
		return C.rondo_chat_render(handle, raw, text, capacity, length, nil, 0, nil, message, bytes)
	})
}

// ChatIDs are the token ids of a conversation.
func (m *Model) ChatIDs(chat Chat) ([]int32, error) {
	ids, count := make([]int32, 1024), C.size_t(0)
	err := m.with(func(handle *C.rondo_model) error {
		return chat.with(func(raw *C.rondo_chat_options) error {
			return fitting(func(message *C.char, bytes C.size_t) C.int32_t {
				return C.rondo_chat_render(handle, raw, nil, 0, nil, first(ids), C.size_t(len(ids)), &count,
					message, bytes)
			}, func() { ids = make([]int32, count) })
		})
	})
	if err != nil {
		return nil, err
	}
	return ids[:count], nil
}

// ChatGrammar is the GBNF of answers to a conversation whose calls of its Tools parse, for
// Model.RulesGrammar. function: the only one that may be called; empty: any.
func (m *Model) ChatGrammar(chat Chat, calls Calls, function string) (string, error) {
	var name *C.char
	if function != "" {
		name = C.CString(function)
		defer C.free(unsafe.Pointer(name))
	}
	return m.chatText(&chat, func(handle *C.rondo_model, raw *C.rondo_chat_options, text *C.char, capacity C.size_t, length *C.size_t, message *C.char, bytes C.size_t) C.int32_t {
		return C.rondo_chat_grammar(handle, raw, C.int32_t(calls), name, text, capacity, length, message, bytes)
	})
}

// ChatThinking is what begins and what ends a thought in the template; empty where it has none.
func (m *Model) ChatThinking(chat Chat) (begin, end string, err error) {
	begins, ends := make([]byte, 256), make([]byte, 256)
	var beginLength, endLength C.size_t
	err = m.with(func(handle *C.rondo_model) error {
		return chat.with(func(raw *C.rondo_chat_options) error {
			return fitting(func(message *C.char, bytes C.size_t) C.int32_t {
				return C.rondo_chat_thinking(handle, raw, (*C.char)(unsafe.Pointer(&begins[0])),
					C.size_t(len(begins)), &beginLength, (*C.char)(unsafe.Pointer(&ends[0])),
					C.size_t(len(ends)), &endLength, message, bytes)
			}, func() { begins, ends = make([]byte, beginLength+1), make([]byte, endLength+1) })
		})
	})
	if err != nil {
		return "", "", err
	}
	return string(begins[:beginLength]), string(ends[:endLength]), nil
}

// ChatParser takes an answer as it comes, cut anywhere, and hands out its parts.
type ChatParser struct {
	mutex  sync.Mutex
	handle *C.rondo_chat_parser
	call   ChatPart // that is being written
}

// ChatParser takes answers to this conversation apart; its Tools say what may be called.
func (m *Model) ChatParser(chat Chat) (*ChatParser, error) {
	parser := &ChatParser{}
	err := m.with(func(handle *C.rondo_model) error {
		return chat.with(func(raw *C.rondo_chat_options) error {
			return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
				return C.rondo_chat_parser_create(handle, raw, &parser.handle, message, bytes)
			})
		})
	})
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(parser, (*ChatParser).Close)
	return parser, nil
}

// Close gives the handle up. Closing twice does nothing.
func (p *ChatParser) Close() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	C.rondo_chat_parser_close(p.handle)
	p.handle = nil
}

func (p *ChatParser) with(use func(*C.rondo_chat_parser) error) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.handle == nil {
		return ErrClosed
	}
	return use(p.handle)
}

// Push gives the answer's next bytes, those of events. last: there are no more behind them.
func (p *ChatParser) Push(bytes []byte, last bool) error {
	return p.with(func(handle *C.rondo_chat_parser) error {
		var start *C.char
		if len(bytes) > 0 {
			start = (*C.char)(unsafe.Pointer(&bytes[0]))
		}
		return check(C.rondo_chat_parser_push(handle, start, C.size_t(len(bytes)), C.int32_t(cBool(last))))
	})
}

// Parts are what was not handed out yet, as far as it is known what it is.
func (p *ChatParser) Parts() (parts []ChatPart, err error) {
	err = p.with(func(handle *C.rondo_chat_parser) error {
		raw := C.rondo_chat_part{struct_size: C.sizeof_rondo_chat_part}
		for {
			if err := check(C.rondo_chat_parser_next(handle, &raw)); err != nil {
				return err
			}
			if ChatPartKind(raw.kind) == ChatPartNone {
				return nil
			}
			parts = append(parts, p.told(&raw))
		}
	})
	return parts, err
}

func (p *ChatParser) told(raw *C.rondo_chat_part) ChatPart {
	part := ChatPart{Kind: ChatPartKind(raw.kind), Text: C.GoStringN(raw.text, C.int(raw.text_bytes)),
		Call: uint64(raw.call), Name: C.GoStringN(raw.name, C.int(raw.name_bytes)),
		ID: C.GoStringN(raw.id, C.int(raw.id_bytes))}
	switch part.Kind {
	case ChatPartCall:
		p.call = part
	case ChatPartArguments:
		p.call.Arguments += part.Text
	case ChatPartCallEnd:
		p.call.Kind = part.Kind
		return p.call
	}
	return part
}

// Reset makes it as it was created, for another answer.
func (p *ChatParser) Reset() error {
	return p.with(func(handle *C.rondo_chat_parser) error { return check(C.rondo_chat_parser_reset(handle)) })
}

// ChatParts answers a conversation, as Session.Chat does, and takes the answer apart: content, thoughts,
// and calls of its Tools. A stop string is part of the content.
func (s *Session) ChatParts(ctx context.Context, chat Chat) func(yield func(ChatPart, error) bool) {
	return func(yield func(ChatPart, error) bool) {
		parser, err := s.engine.model.ChatParser(chat)
		if err != nil {
			yield(ChatPart{}, err)
			return
		}
		defer parser.Close()
		s.Chat(ctx, chat)(func(event Event, err error) bool {
			var parts []ChatPart
			if err == nil {
				parts, err = parser.take(event)
			}
			for _, part := range parts {
				if !yield(part, nil) {
					return false
				}
			}
			return err == nil || yield(ChatPart{}, err)
		})
	}
}

// What an event of the answer brings.
func (p *ChatParser) take(event Event) ([]ChatPart, error) {
	said := event.Bytes
	if event.Reason == ReasonEOS {
		said = nil
	}
	if err := p.Push(said, event.Reason != ReasonNone); err != nil {
		return nil, err
	}
	return p.Parts()
}
