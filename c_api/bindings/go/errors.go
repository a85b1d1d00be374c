package rondo

// #include <rondo/rondo.h>
import "C"

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// ErrClosed is returned by calls on what was closed.
var ErrClosed = errors.New("rondo: closed")

// Error is a call that failed. errors.Is knows it by its status: errors.Is(err, rondo.ErrBusy). Where a
// context ended the call, it is that context's error, too, and where a file could not be read, the
// system's.
type Error struct {
	Status  Status
	Message string
	cause   error
}

func (e *Error) Error() string {
	if e.Message == "" {
		return "rondo: " + e.Status.String()
	}
	return "rondo: " + e.Message
}

// Is tells whether target is the error's status, or ErrClosed where that is a handle that was closed.
func (e *Error) Is(target error) bool {
	if target == ErrClosed {
		return e.Status == StatusInvalidHandle
	}
	status, ok := target.(Status)
	return ok && status == e.Status
}

// Unwrap is the context's error, or the system's, or nil.
func (e *Error) Unwrap() error { return e.cause }

// Error is String: a status is an error, as those of package syscall are.
func (s Status) Error() string { return s.String() }

// String is what the status means, in a few English words.
func (s Status) String() string { return C.GoString(C.rondo_status_string(C.int32_t(s))) }

func unknown(kind string, value int32) string { return fmt.Sprintf("%s(%d)", kind, value) }

func check(status C.int32_t) error { return failed(status, "") }

func failed(status C.int32_t, message string) error {
	if status == 0 {
		return nil
	}
	return &Error{Status: Status(status), Message: inOurWords(message)}
}

// The error of a call that has no sentence of its own, with what its status means there.
func explained(err error, sentences map[Status]string) error {
	var failure *Error
	if errors.As(err, &failure) {
		if sentence, ok := sentences[failure.Status]; ok {
			return &Error{failure.Status, sentence, failure.cause}
		}
	}
	return err
}

// An argument that does not get to the library.
func refused(format string, about ...any) error {
	return &Error{Status: StatusInvalidArgument, Message: fmt.Sprintf(format, about...)}
}

// A name of C's: one with a line in it, where it is no part of a longer one; else behind "option" or where
// the sentence begins, as other words are words.
var cName = regexp.MustCompile(`(^|[^\w.])(option )?([a-z][a-z0-9_]*)`)

// The library's sentence with the names that options have here.
func inOurWords(message string) string {
	return cName.ReplaceAllStringFunc(message, func(found string) string {
		parts := cName.FindStringSubmatch(found)
		ours, known := optionNames[parts[3]]
		begins := parts[1] == "" || parts[2] != ""
		if !known || !begins && !strings.Contains(parts[3], "_") {
			return found
		}
		return parts[1] + parts[2] + ours
	})
}

// The error of a context that is done.
func done(ctx context.Context) error {
	if ctx == nil {
		return refused("the context is nil")
	}
	if err := ctx.Err(); err != nil {
		return &Error{StatusCancelled, err.Error(), err}
	}
	return nil
}

// What ended a call: where that is a cancel and the context is done, it was the context.
func endedBy(ctx context.Context, err error) error {
	if errors.Is(err, StatusCancelled) {
		if why := done(ctx); why != nil {
			return why
		}
	}
	return err
}
