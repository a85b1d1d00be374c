package rondo

// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import (
	"math"
	"unsafe"
)

// Options on their way to C. What C's field cannot hold is refused by the option's name, never cut.
type setting struct {
	memory lent // of texts and lists
	err    error
}

func (s *setting) free() { s.memory.free() }

func (s *setting) refuse(format string, about ...any) {
	if s.err == nil {
		s.err = refused(format, about...)
	}
}

// An empty text is the default.
func (s *setting) text(name, value string) *C.char {
	if value == "" {
		return nil
	}
	text, err := cString(name, value)
	if err != nil {
		s.refuse("%s %q has a zero byte", name, value)
		return nil
	}
	s.memory = append(s.memory, unsafe.Pointer(text))
	return text
}

type whole interface {
	~int32 | ~uint32 | ~uint64
}

// 0 is the default.
func number[To whole](s *setting, to *To, name string, value int) {
	if value != 0 {
		numberGiven(s, to, name, &value)
	}
}

func numberGiven[To whole](s *setting, to *To, name string, value *int) {
	if value == nil {
		return
	}
	held := To(*value)
	if int64(held) != int64(*value) || (held < 0) != (*value < 0) {
		s.refuse("%s is %d, which it cannot hold", name, *value)
		return
	}
	*to = held
}

func real(s *setting, to *C.float, name string, value float64) {
	if value != 0 {
		realGiven(s, to, name, &value)
	}
}

func realGiven(s *setting, to *C.float, name string, value *float64) {
	if value == nil {
		return
	}
	if math.IsNaN(*value) || math.Abs(*value) > math.MaxFloat32 {
		s.refuse("%s is %v, which it cannot hold", name, *value)
		return
	}
	*to = C.float(*value)
}

func pointer[T any](value T) *T { return &value }
