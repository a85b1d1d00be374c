package rondo

// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import "unsafe"

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
	name := C.CString(prompt)
	defer C.free(unsafe.Pointer(name))
	return m.embeddingText(name, text)
}

func (m *Model) embeddingText(prompt *C.char, text string) (string, error) {
	bytes := C.CString(text)
	defer C.free(unsafe.Pointer(bytes))
	return m.text(func(handle *C.rondo_model, buffer *C.char, capacity C.size_t, length *C.size_t) C.int32_t {
		return C.rondo_embedding_text(handle, prompt, bytes, C.size_t(len(text)), buffer, capacity, length)
	})
}

// PairText is what a model that scores pairs reads of one, with the model's usual words for what makes
// a document fit. For Tokenize.
func (m *Model) PairText(query, document string) (string, error) {
	return m.pairText(nil, query, document)
}

// PairTextFor is PairText with an instruction: what makes a document fit, in words.
func (m *Model) PairTextFor(instruction, query, document string) (string, error) {
	what := C.CString(instruction)
	defer C.free(unsafe.Pointer(what))
	return m.pairText(what, query, document)
}

func (m *Model) pairText(instruction *C.char, query, document string) (string, error) {
	asked, found := C.CString(query), C.CString(document)
	defer C.free(unsafe.Pointer(asked))
	defer C.free(unsafe.Pointer(found))
	return m.text(func(handle *C.rondo_model, buffer *C.char, capacity C.size_t, length *C.size_t) C.int32_t {
		return C.rondo_pair_text(handle, instruction, asked, C.size_t(len(query)), found,
			C.size_t(len(document)), buffer, capacity, length)
	})
}

// How many numbers are asked for, and for how many there is room, which is an address also of none:
// what is more than the model has is refused before anything is written.
func (e *Engine) numbers(dimensions, texts int) (asked C.size_t, vectors []float32) {
	room := e.dimensions
	if dimensions == 0 {
		dimensions = room
	}
	if dimensions >= 0 && dimensions < room {
		room = dimensions
	}
	return C.size_t(dimensions), make([]float32, room*texts, room*texts+1)
}

func address(vectors []float32) *C.float { return (*C.float)(unsafe.Pointer(&vectors[:1][0])) }

// Embed makes the vector of a text, given as ids, or the score of a pair, which is one number. The
// vector is the caller's: its first dimensions numbers; 0: all. The session has no tokens behind the
// call. Fails with StatusUnsupported where the model predicts tokens, and with StatusContextFull where
// the text is too long.
func (s *Session) Embed(ids []int32, dimensions int) ([]float32, error) {
	asked, vector := s.engine.numbers(dimensions, 1)
	err := s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_embed(handle, first(ids), C.size_t(len(ids)), address(vector), asked)
	})
	if err != nil {
		return nil, err
	}
	return vector, nil
}

// Embed makes one vector per text, in their order, each as Session.Embed makes it. The sessions share
// the work: each takes one text, and the next when it is done with it. Where a text is refused,
// the message tells which; StatusBusy: another goroutine is in one of the sessions.
func (e *Engine) Embed(sessions []*Session, texts [][]int32, dimensions int) ([][]float32, error) {
	asked, vectors := e.numbers(dimensions, len(texts))
	var ids []int32
	counts := make([]C.size_t, len(texts)+1) // so that there is a first one
	for i, text := range texts {
		ids, counts[i] = append(ids, text...), C.size_t(len(text))
	}
	err := e.withSessions(sessions, func(handle *C.rondo_engine, list **C.rondo_session, n C.size_t) error {
		return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
			return C.rondo_engine_embed(handle, list, n, first(ids), &counts[0], C.size_t(len(texts)),
				address(vectors), asked, message, bytes)
		})
	})
	if err != nil {
		return nil, err
	}
	result := make([][]float32, len(texts))
	for i := range result {
		result[i] = vectors[i*int(asked) : (i+1)*int(asked) : (i+1)*int(asked)]
	}
	return result, nil
}
