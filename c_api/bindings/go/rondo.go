// Package rondo runs language models on edge devices, in one planned block of memory.
//
//	model, err := rondo.Open("model.rondo")
//	defer model.Close()
//	engine, err := model.Engine(ctx, rondo.EngineOptions{Context: 512})
//	defer engine.Close()
//	session, err := engine.Session(rondo.SessionOptions{MaxTokens: 64})
//	defer session.Close()
//	text, err := session.Generate(ctx, "Once upon a time")
//
// What rondo.h says of a function holds for the method named like it. Objects may be closed in any
// order and twice; what is not closed is closed when it is collected; a copy of one is the same object.
// Models and engines may be used from any goroutine at any time; a session takes one call at a time and
// refuses others with ErrBusy, but for Cancel, CancelCall, CallNumber, Progress and Close. Each call that
// computes takes a context, and ends with it.
package rondo

// #cgo pkg-config: rondo
// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import (
	"strings"
	"unsafe"
)

// ABIVersion is what this package was compiled for.
const ABIVersion = uint32(C.RONDO_ABI_VERSION)

const messageBytes = 512

// Version is the library's release; PackageVersion is this package's.
func Version() string { return C.GoString(C.rondo_version_string()) }

// Query tells what the library can do, by name: "limit.sessions", "chat" and others of rondo.h.
func Query(name string) (int64, error) {
	text, err := cString("the name", name)
	if err != nil {
		return 0, err
	}
	defer C.free(unsafe.Pointer(text))
	var value C.int64_t
	err = check(C.rondo_query(text, &value))
	return int64(value), err
}

// For texts that end with a zero: one inside would cut them.
func cString(what, text string) (*C.char, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, refused("%s %q has a zero byte", what, text)
	}
	return C.CString(text), nil
}

// For calls that end in (message, message_bytes).
func checkMessage(call func(message *C.char, bytes C.size_t) C.int32_t) error {
	message := (*C.char)(C.calloc(1, messageBytes))
	defer C.free(unsafe.Pointer(message))
	if status := call(message, messageBytes); status != 0 {
		return failed(status, C.GoString(message))
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

// A text that C wrote, of any length.
func goString(text *C.char, bytes C.size_t) string {
	return string(unsafe.Slice((*byte)(unsafe.Pointer(text)), int(bytes)))
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
