package rondo

// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import (
	"encoding/json"
	"fmt"
	"time"
	"unsafe"
)

// Message is one of a conversation's, as chat templates know them.
type Message struct {
	Role string `json:"role"` // "system", "user", "assistant", "tool"
	// Content is a string, or parts: []any{map[string]string{"type": "image"}, ...}.
	Content    any        `json:"content"`
	Thinking   string     `json:"reasoning_content,omitempty"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"` // of a "tool": of the call that it answers
	Name       string     `json:"name,omitempty"`         // of a "tool": of the function
}

// ToolCall is a call of a function, in the message of an assistant.
type ToolCall struct {
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type"` // "function"
	Function Function `json:"function"`
}

// Function is what a ToolCall calls.
type Function struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // an object
}

// Chat is a conversation, and what is made of it. Messages, Tools and Variables are values for
// encoding/json, or JSON as json.RawMessage, []byte or string.
type Chat struct {
	// Messages are a []Message, or what else the template reads.
	Messages any
	// Tools are the functions that the model may call: [{"type": "function", "function": {...}}].
	Tools any
	// Variables are more names for the template: an object.
	Variables any
	// Media are the pictures that parts {"type": "image"} stand for, in their order. For Session.Chat.
	Media []*Media
	// Template is Jinja, in place of the model's own.
	Template string
	// TemplateName is one of Model.ChatTemplateNames.
	TemplateName string
	// NoPrompt: the text does not end where the assistant's answer begins.
	NoPrompt bool
	// ContinueFinal: the text ends inside of the last message.
	ContinueFinal bool
	// LocalTime is what the clock on the wall shows; zero: no clock.
	LocalTime time.Time
	// SpecialContent: texts of special tokens in messages become these tokens. Else only what the
	// template itself wrote does.
	SpecialContent bool
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
			bytes, err := jsonOf(part.value)
			if err != nil {
				return fmt.Errorf("rondo: a conversation that is no JSON: %w", err)
			}
			give(part.pointer, part.size, bytes)
		}
	}
	if c.Template != "" {
		give(&raw.template_text, &raw.template_bytes, []byte(c.Template))
	}
	if c.TemplateName != "" {
		name, err := cString("TemplateName", c.TemplateName)
		if err != nil {
			return err
		}
		raw.template_name = name
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
		var err error
		if name, err = cString("the function", function); err != nil {
			return "", err
		}
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
