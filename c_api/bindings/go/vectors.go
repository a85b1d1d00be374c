package rondo

// #include <rondo/rondo.h>
import "C"

import (
	"context"
	"errors"
	"unsafe"
)

// EmbedOptions say how texts become vectors.
type EmbedOptions struct {
	// Prompt is the name of one of Model.Prompts ("query", "document"); empty: the model's usual one.
	Prompt string
	// NoPrompt: the text alone.
	NoPrompt bool
	// Dimensions: the first numbers of a vector alone; 0: all.
	Dimensions int
}

// ScoreOptions say how documents are scored.
type ScoreOptions struct {
	// Instruction says in words what makes a document fit; empty: the model's usual one.
	Instruction string
}

// Embed makes a vector of each text, in their order. It opens sessions of its own, as many as the engine has
// free places for; ErrBusy: it has none. Vectors are near each other where texts mean the same.
func (e *Engine) Embed(ctx context.Context, texts []string, options EmbedOptions) ([][]float32, error) {
	read := func(text string) (string, error) {
		switch {
		case options.NoPrompt && options.Prompt != "":
			return "", refused("of Prompt and NoPrompt one is given")
		case options.NoPrompt || options.Prompt != "":
			return e.model.EmbeddingTextFor(options.Prompt, text)
		}
		return e.model.EmbeddingText(text)
	}
	return e.embedAll(ctx, texts, read, options.Dimensions)
}

// Score tells of each document how well it fits the query, with a model that scores pairs.
func (e *Engine) Score(ctx context.Context, query string, documents []string, options ScoreOptions) ([]float32, error) {
	vectors, err := e.embedAll(ctx, documents, func(document string) (string, error) {
		if options.Instruction != "" {
			return e.model.PairTextFor(options.Instruction, query, document)
		}
		return e.model.PairText(query, document)
	}, 1)
	if err != nil {
		return nil, err
	}
	scores := make([]float32, len(vectors))
	for i, vector := range vectors {
		scores[i] = vector[0]
	}
	return scores, nil
}

func (e *Engine) embedAll(ctx context.Context, texts []string, read func(string) (string, error),
	dimensions int) ([][]float32, error) {
	if err := e.with(func(*C.rondo_engine) error { return done(ctx) }); err != nil {
		return nil, err
	}
	if dimensions < 0 {
		return nil, refused("dimensions is %d", dimensions)
	}
	ids := make([][]int32, len(texts))
	for i, text := range texts {
		whole, err := read(text)
		if err != nil {
			return nil, err
		}
		if ids[i], err = e.model.Tokenize(whole, true); err != nil {
			return nil, err
		}
	}
	var sessions []*Session
	for len(sessions) < len(texts) && len(sessions) < e.maxSessions {
		session, err := e.Session(SessionOptions{})
		if errors.Is(err, ErrBusy) && len(sessions) > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		defer session.Close()
		sessions = append(sessions, session)
	}
	if len(texts) == 0 {
		return nil, nil
	}
	return e.EmbedIDs(ctx, sessions, ids, dimensions)
}

// How many numbers are asked for, and for how many there is room, which is an address also of none:
// what is more than the model has is refused before anything is written.
func (e *Engine) numbers(dimensions, texts int) (asked C.size_t, vectors []float32) {
	room := e.dimensions
	if dimensions == 0 {
		dimensions = room
	}
	if dimensions >= 0 && (dimensions < room || dimensions == 2) { // of a pair the second is its logit
		room = dimensions
	}
	return C.size_t(dimensions), make([]float32, room*texts, room*texts+1)
}

func address(vectors []float32) *C.float { return (*C.float)(unsafe.Pointer(&vectors[:1][0])) }

// Embed makes the vector of a text, given as ids, or the score of a pair, which is one number. The
// vector is the caller's: its first dimensions numbers; 0: all. The session has no tokens behind the
// call. Fails with ErrUnsupported where the model predicts tokens, and with ErrContextFull where
// the text is too long.
func (s *Session) Embed(ctx context.Context, ids []int32, dimensions int) ([]float32, error) {
	if s == nil || s.engine == nil {
		return nil, ErrClosed
	}
	asked, vector := s.engine.numbers(dimensions, 1)
	err := s.compute(ctx, func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_embed(handle, first(ids), C.size_t(len(ids)), address(vector), asked)
	})
	if err != nil {
		return nil, err
	}
	return vector, nil
}

// EmbedIDs makes one vector per text, in their order, each as Session.Embed makes it. The sessions share
// the work: each takes one text, and the next when it is done with it. Where a text is refused,
// the message tells which; ErrBusy: another goroutine is in one of the sessions.
func (e *Engine) EmbedIDs(ctx context.Context, sessions []*Session, texts [][]int32, dimensions int) ([][]float32, error) {
	if e == nil {
		return nil, ErrClosed
	}
	asked, vectors := e.numbers(dimensions, len(texts))
	var ids []int32
	counts := make([]C.size_t, len(texts)+1) // so that there is a first one
	for i, text := range texts {
		ids, counts[i] = append(ids, text...), C.size_t(len(text))
	}
	err := e.withSessions(ctx, sessions, func(handle *C.rondo_engine, list **C.rondo_session, n C.size_t) error {
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
