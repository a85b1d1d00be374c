package rondo

// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// Input is token ids, or rows that stand where tokens do: one of IDs, Rows and BFloat16.
type Input struct {
	IDs []int32
	// Rows are [count, hidden size], in place of what the model makes of tokens before its first
	// layer.
	Rows []float32
	// BFloat16 are such rows of the upper halves of float32.
	BFloat16 []uint16
	// Coordinates are what RoPE rotates each row by, counted from where a token in place of the
	// first row would be; nil: row i has i.
	Coordinates [][3]int32
	// SeesWhole: each of these rows sees all of them, also those behind it.
	SeesWhole bool
}

// AppendInputs queues inputs, 1 to 64, one behind another. For engines with the option
// MaxInputRows.
func (s *Session) AppendInputs(inputs ...Input) error {
	if s == nil || s.engine == nil {
		return ErrClosed
	}
	var arrays lent
	defer arrays.free()
	array := arrays.take(len(inputs) * C.sizeof_rondo_input)
	raw := unsafe.Slice((*C.rondo_input)(array), len(inputs))
	for i := range inputs {
		var err error
		if raw[i], err = inputs[i].raw(s.engine.hiddenSize, &arrays); err != nil {
			return refused("input %d: %v", i, err)
		}
	}
	return s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_append_inputs(handle, (*C.rondo_input)(array), C.size_t(len(inputs)))
	})
}

func (i *Input) raw(hiddenSize int, arrays *lent) (C.rondo_input, error) {
	raw := C.rondo_input{struct_size: C.sizeof_rondo_input, sees_whole: cBool(i.SeesWhole)}
	if i.Coordinates != nil {
		raw.coordinates = (*C.int32_t)(copied(arrays, i.Coordinates))
	}
	numbers := len(i.Rows) + len(i.BFloat16)
	switch {
	case len(i.IDs) > 0 && numbers > 0 || len(i.Rows) > 0 && len(i.BFloat16) > 0:
		return raw, fmt.Errorf("of IDs, Rows and BFloat16 one is given")
	case numbers == 0:
		if i.Coordinates != nil && len(i.Coordinates) != len(i.IDs) {
			return raw, fmt.Errorf("%d ids have %d coordinates", len(i.IDs), len(i.Coordinates))
		}
		raw.ids, raw.count = (*C.int32_t)(copied(arrays, i.IDs)), C.size_t(len(i.IDs))
		return raw, nil
	case len(i.Rows) > 0:
		raw.rows, raw.row_format = copied(arrays, i.Rows), C.RONDO_ROWS_FLOAT32
	default:
		raw.rows, raw.row_format = copied(arrays, i.BFloat16), C.RONDO_ROWS_BFLOAT16
	}
	count := numbers / hiddenSize
	if numbers%hiddenSize != 0 {
		return raw, fmt.Errorf("rows have %d numbers, the hidden size is %d", numbers, hiddenSize)
	}
	if i.Coordinates != nil && len(i.Coordinates) != count {
		return raw, fmt.Errorf("%d rows have %d coordinates", count, len(i.Coordinates))
	}
	raw.count = C.size_t(count)
	return raw, nil
}

// Memory of C's during a call: what C reads there may not point to Go's.
type lent []unsafe.Pointer

func (l *lent) take(bytes int) unsafe.Pointer {
	memory := C.malloc(C.size_t(bytes + 1)) // so that it has an address
	*l = append(*l, memory)
	return memory
}

func (l *lent) free() {
	for _, memory := range *l {
		C.free(memory)
	}
}

func copied[T any](l *lent, array []T) unsafe.Pointer {
	var one T
	memory := l.take(len(array) * int(unsafe.Sizeof(one)))
	copy(unsafe.Slice((*T)(memory), len(array)), array)
	return memory
}
