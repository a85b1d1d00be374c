package rondo

// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import (
	"encoding/json"
	"unsafe"
)

// Grammar is what generations may say. Any number of sessions share it, from any goroutine; they keep
// what they need of it when it is closed.
type Grammar struct {
	state *object[*C.rondo_grammar]
}

// GrammarOptions tell how a grammar is read. The flags are of JSON Schema alone.
type GrammarOptions struct {
	NoSpaces    bool // no spaces between the parts of a text
	OneSpace    bool // one behind each colon and comma and nowhere else, as chat templates write it
	NamedOnly   bool // no members that the schema does not name, unless it says that there may be
	AnyOrder    bool // members come in any order; else as the schema has them
	MemoryBytes int  // for what the grammar is made of; 0: 8 MiB
}

// Grammar holds sessions to JSON that is valid by a schema: a value for encoding/json, or JSON as
// json.RawMessage, []byte or string, which keeps the order of members that a map has not.
func (m *Model) Grammar(schema any, options GrammarOptions) (*Grammar, error) {
	text, err := jsonOf(schema)
	if err != nil {
		return nil, err
	}
	return m.grammar(C.RONDO_GRAMMAR_JSON_SCHEMA, text, options)
}

// PatternGrammar holds sessions to a regular expression of ECMA-262, which is the whole text.
func (m *Model) PatternGrammar(pattern string, options GrammarOptions) (*Grammar, error) {
	return m.grammar(C.RONDO_GRAMMAR_PATTERN, []byte(pattern), options)
}

// RulesGrammar holds sessions to rules in GBNF's notation.
func (m *Model) RulesGrammar(gbnf string, options GrammarOptions) (*Grammar, error) {
	return m.grammar(C.RONDO_GRAMMAR_GBNF, []byte(gbnf), options)
}

// PlanGrammar is how many bytes the grammar of this schema takes.
func (m *Model) PlanGrammar(schema any, options GrammarOptions) (uint64, error) {
	text, err := jsonOf(schema)
	if err != nil {
		return 0, err
	}
	return m.planGrammar(C.RONDO_GRAMMAR_JSON_SCHEMA, len(text), options)
}

// PlanPatternGrammar is how many bytes the grammar of this pattern takes.
func (m *Model) PlanPatternGrammar(pattern string, options GrammarOptions) (uint64, error) {
	return m.planGrammar(C.RONDO_GRAMMAR_PATTERN, len(pattern), options)
}

// PlanRulesGrammar is how many bytes the grammar of these rules takes.
func (m *Model) PlanRulesGrammar(gbnf string, options GrammarOptions) (uint64, error) {
	return m.planGrammar(C.RONDO_GRAMMAR_GBNF, len(gbnf), options)
}

// A value as JSON. What is text is JSON already: as a string of it, or in base64, it would mean nothing.
func jsonOf(value any) ([]byte, error) {
	switch text := value.(type) {
	case string:
		return []byte(text), nil
	case []byte:
		return text, nil
	}
	return json.Marshal(value)
}

func (o *GrammarOptions) raw(kind C.int32_t) (raw C.rondo_grammar_options, err error) {
	err = check(C.rondo_grammar_options_init(&raw, C.sizeof_rondo_grammar_options))
	raw.kind = kind
	raw.flags = cBool(o.NoSpaces)*C.RONDO_SCHEMA_NO_SPACES |
		cBool(o.OneSpace)*C.RONDO_SCHEMA_ONE_SPACE | cBool(o.AnyOrder)*C.RONDO_SCHEMA_ANY_ORDER |
		cBool(o.NamedOnly)*C.RONDO_SCHEMA_NAMED_ONLY
	var s setting
	number(&s, &raw.memory_bytes, "MemoryBytes", o.MemoryBytes)
	if err == nil {
		err = s.err
	}
	return raw, err
}

func (m *Model) grammar(kind C.int32_t, text []byte, options GrammarOptions) (*Grammar, error) {
	raw, err := options.raw(kind)
	if err != nil {
		return nil, err
	}
	copied := (*C.char)(C.CBytes(text))
	defer C.free(unsafe.Pointer(copied))
	var grammar *C.rondo_grammar
	err = m.with(func(handle *C.rondo_model) error {
		return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
			return C.rondo_grammar_create(handle, &raw, copied, C.size_t(len(text)), nil, 0, &grammar,
				message, bytes)
		})
	})
	if err != nil {
		return nil, err
	}
	return &Grammar{newObject(grammar, func(grammar *C.rondo_grammar) { C.rondo_grammar_close(grammar) })}, nil
}

func (m *Model) planGrammar(kind C.int32_t, length int, options GrammarOptions) (uint64, error) {
	raw, err := options.raw(kind)
	if err != nil {
		return 0, err
	}
	var size C.uint64_t
	err = m.with(func(handle *C.rondo_model) error {
		return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
			return C.rondo_grammar_plan(handle, &raw, C.size_t(length), &size, message, bytes)
		})
	})
	return uint64(size), err
}

// Close gives it up; sessions go on. Closing twice does nothing. It never fails.
func (g *Grammar) Close() error {
	if g != nil {
		g.state.close()
	}
	return nil
}

func (g *Grammar) with(use func(*C.rondo_grammar) error) error {
	if g == nil {
		return ErrClosed
	}
	return g.state.use(use)
}
