package rondo

// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// Embedder tells what the model makes of texts; Dimensions 0: it predicts tokens instead.
func (m *Model) Embedder() (EmbedderFacts, error) {
	facts := C.rondo_embedder_facts{struct_size: C.sizeof_rondo_embedder_facts}
	err := m.with(func(handle *C.rondo_model) error { return check(C.rondo_model_embedder(handle, &facts)) })
	return embedderFactsOf(&facts), err
}

// Prompts lists the names of the prompts that EmbeddingTextFor takes.
func (m *Model) Prompts() ([]string, error) {
	return m.names(func(handle *C.rondo_model, index C.uint32_t, buffer *C.char, capacity C.size_t, length *C.size_t) C.int32_t {
		return C.rondo_model_prompt_name(handle, index, buffer, capacity, length)
	})
}

// EmbeddingText is what the model reads of a text: it behind the model's usual prompt, which may be
// none. For Tokenize.
func (m *Model) EmbeddingText(text string) (string, error) { return m.embeddingText(nil, text) }

// EmbeddingTextFor is the text behind the prompt of this name; "": behind none.
func (m *Model) EmbeddingTextFor(prompt, text string) (string, error) {
	name, err := cString("the prompt's name", prompt)
	if err != nil {
		return "", err
	}
	defer C.free(unsafe.Pointer(name))
	return m.embeddingText(name, text)
}

func (m *Model) embeddingText(prompt *C.char, text string) (string, error) {
	bytes := C.CString(text)
	defer C.free(unsafe.Pointer(bytes))
	whole, err := m.text(func(handle *C.rondo_model, buffer *C.char, capacity C.size_t, length *C.size_t) C.int32_t {
		return C.rondo_embedding_text(handle, prompt, bytes, C.size_t(len(text)), buffer, capacity, length)
	})
	return whole, explained(err, map[Status]string{StatusUnsupported: "the model makes no vectors of texts",
		StatusInvalidArgument: fmt.Sprintf("the model has no prompt named %q", C.GoString(prompt))})
}

// PairText is what a model that scores pairs reads of one, with the model's usual words for what makes
// a document fit. For Tokenize.
func (m *Model) PairText(query, document string) (string, error) {
	return m.pairText(nil, query, document)
}

// PairTextFor is PairText with an instruction: what makes a document fit, in words.
func (m *Model) PairTextFor(instruction, query, document string) (string, error) {
	what, err := cString("the instruction", instruction)
	if err != nil {
		return "", err
	}
	defer C.free(unsafe.Pointer(what))
	return m.pairText(what, query, document)
}

func (m *Model) pairText(instruction *C.char, query, document string) (string, error) {
	asked, found := C.CString(query), C.CString(document)
	defer C.free(unsafe.Pointer(asked))
	defer C.free(unsafe.Pointer(found))
	whole, err := m.text(func(handle *C.rondo_model, buffer *C.char, capacity C.size_t, length *C.size_t) C.int32_t {
		return C.rondo_pair_text(handle, instruction, asked, C.size_t(len(query)), found,
			C.size_t(len(document)), buffer, capacity, length)
	})
	return whole, explained(err, map[Status]string{StatusUnsupported: "the model scores no pairs",
		StatusInvalidArgument: "the query has the token that stands between the two texts"})
}
