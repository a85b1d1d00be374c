package rondo

// #include <rondo/rondo.h>
import "C"

import (
	"bytes"
	"sync"
	"unsafe"
)

// ChatPart is a piece of an answer.
type ChatPart struct {
	Kind      ChatPartKind
	Text      string // ChatPartContent, ChatPartThinking, ChatPartArguments: the next piece of it
	Call      uint64 // the call's number, from 0
	Name      string // ChatPartCall and ChatPartCallEnd: of the function
	ID        string // as Name: that the model gave the call; empty where it writes none
	Arguments string // ChatPartCallEnd: all of them, as JSON
}

// ChatParser takes an answer as it comes, cut anywhere, and hands out its parts. Calls on one parser wait
// for each other.
type ChatParser struct {
	state *parserState
}

type parserState struct {
	*object[*C.rondo_chat_parser]
	one  sync.Mutex // held by the call that is in it
	call ChatPart   // that is being written
}

// ChatParser takes answers to this conversation apart; its Tools say what may be called.
func (m *Model) ChatParser(chat Chat) (*ChatParser, error) {
	var parser *C.rondo_chat_parser
	err := m.with(func(handle *C.rondo_model) error {
		return chat.with(func(raw *C.rondo_chat_options) error {
			return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
				return C.rondo_chat_parser_create(handle, raw, &parser, message, bytes)
			})
		})
	})
	if err != nil {
		return nil, err
	}
	return &ChatParser{&parserState{object: newObject(parser, func(parser *C.rondo_chat_parser) {
		C.rondo_chat_parser_close(parser)
	})}}, nil
}

// Close gives it up. Closing twice does nothing. It never fails.
func (p *ChatParser) Close() error {
	if p != nil && p.state != nil {
		p.state.close()
	}
	return nil
}

func (p *ChatParser) with(use func(*C.rondo_chat_parser) error) error {
	if p == nil || p.state == nil {
		return ErrClosed
	}
	return p.state.use(func(handle *C.rondo_chat_parser) error {
		p.state.one.Lock()
		defer p.state.one.Unlock()
		return use(handle)
	})
}

// Push gives the answer's next bytes, those of events. last: there are no more behind them.
func (p *ChatParser) Push(next []byte, last bool) error {
	return p.with(func(handle *C.rondo_chat_parser) error {
		var start *C.char
		if len(next) > 0 {
			start = (*C.char)(unsafe.Pointer(&next[0]))
		}
		return check(C.rondo_chat_parser_push(handle, start, C.size_t(len(next)), C.int32_t(cBool(last))))
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
			parts = append(parts, p.state.told(&raw))
		}
	})
	return parts, err
}

func (p *parserState) told(raw *C.rondo_chat_part) ChatPart {
	part := ChatPart{Kind: ChatPartKind(raw.kind), Text: goString(raw.text, raw.text_bytes),
		Call: uint64(raw.call), Name: goString(raw.name, raw.name_bytes),
		ID: goString(raw.id, raw.id_bytes)}
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
	return p.with(func(handle *C.rondo_chat_parser) error {
		p.state.call = ChatPart{}
		return check(C.rondo_chat_parser_reset(handle))
	})
}

// What an event of the answer brings.
func (p *ChatParser) take(event Event) ([]ChatPart, error) {
	said := event.Bytes
	switch event.Reason {
	case ReasonEOS:
		said = nil
	case ReasonStopString: // of the token that completes it, what is before it
		said = []byte(event.Text)
		if !bytes.HasPrefix(event.Bytes, said) {
			said = nil
		}
	}
	if err := p.Push(said, event.Reason != ReasonNone); err != nil {
		return nil, err
	}
	return p.Parts()
}
