// Package rondo runs language models on edge devices, in one planned block of memory.
//
//	model, err := rondo.Open("model.rondo")
//	engine, err := model.Engine(rondo.EngineOptions{Context: 512})
//	session, err := engine.Session(rondo.SessionOptions{MaxTokens: 64})
//	ids, err := model.Tokenize("Once upon a time", true)
//	err = session.Prefill(ids)
//	err = session.Stream(ctx, func(event rondo.Event) error { ... })
//
// What rondo.h says of a function holds for the method named like it. Objects may be closed in any
// order; what is not closed is closed when it is collected. Models and engines may be used from any
// goroutine at any time; a session takes one call at a time, but for Cancel and Close.
package rondo

// #cgo pkg-config: rondo
// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import (
	"errors"
	"unsafe"
)

// ABIVersion is what this package was compiled for.
const ABIVersion = uint32(C.RONDO_ABI_VERSION)

const messageBytes = 512

// ErrClosed is returned by calls on what was closed.
var ErrClosed = errors.New("rondo: closed")

// Error is a call that failed.
type Error struct {
	Status  Status
	Message string
}

func (e *Error) Error() string {
	if e.Message == "" {
		return "rondo: " + e.Status.String()
	}
	return "rondo: " + e.Message
}

// Is makes errors.Is(err, rondo.StatusCancelled) work.
func (e *Error) Is(target error) bool {
	status, ok := target.(Status)
	return ok && status == e.Status
}

// Error makes a Status comparable with errors.Is.
func (s Status) Error() string { return s.String() }

// String is what the status means, in a few English words.
func (s Status) String() string { return C.GoString(C.rondo_status_string(C.int32_t(s))) }

// Version is the library's release.
func Version() string { return C.GoString(C.rondo_version_string()) }

// Query tells what the library can do, by name: "limit.sessions", "chat" and others of rondo.h.
func Query(name string) (int64, error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var value C.int64_t
	err := check(C.rondo_query(text, &value))
	return int64(value), err
}

func check(status C.int32_t) error {
	if status == 0 {
		return nil
	}
	return &Error{Status: Status(status)}
}

// For calls that end in (message, message_bytes).
func checkMessage(call func(message *C.char, bytes C.size_t) C.int32_t) error {
	message := (*C.char)(C.calloc(1, messageBytes))
	defer C.free(unsafe.Pointer(message))
	if status := call(message, messageBytes); status != 0 {
		return &Error{Status(status), C.GoString(message)}
	}
	return nil
}

// For calls that end in (buffer, capacity, length): a text of any length.
func textOutput(call func(buffer *C.char, capacity C.size_t, length *C.size_t) C.int32_t) (string, error) {
	buffer := make([]byte, 256)
	for {
		var length C.size_t
		status := call((*C.char)(unsafe.Pointer(&buffer[0])), C.size_t(len(buffer)), &length)
		if Status(status) != StatusBufferTooSmall {
			if err := check(status); err != nil {
				return "", err
			}
			return string(buffer[:length]), nil
		}
		buffer = make([]byte, length+1)
	}
}

// The address of the first of some ids; nil for none.
func first(ids []int32) *C.int32_t {
	if len(ids) == 0 {
		return nil
	}
	return (*C.int32_t)(unsafe.Pointer(&ids[0]))
}

func cBool(value bool) C.uint32_t {
	if value {
		return 1
	}
	return 0
}
