package rondo

import (
	"runtime"
	"sync"
)

// A handle of the library's. What is closed is refused at once; the handle is given up when no call is in
// it, since texts and logits that a call reads are the library's memory.
type object[P comparable] struct {
	mutex  sync.Mutex
	handle P
	users  int // calls, and what was made of it and needs it
	closed bool
	free   func(P) // nil: it was freed
}

func newObject[P comparable](handle P, free func(P)) *object[P] {
	o := &object[P]{handle: handle, free: free}
	runtime.SetFinalizer(o, (*object[P]).close)
	return o
}

func (o *object[P]) enter() (handle P, err error) {
	if o == nil { // of a zero value, which was never opened
		return handle, ErrClosed
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.closed {
		return handle, ErrClosed
	}
	o.users++
	return o.handle, nil
}

// For what was made of it: also when it is closed, up to when it is freed.
func (o *object[P]) enterKept() (handle P, err error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.free == nil {
		return handle, ErrClosed
	}
	o.users++
	return o.handle, nil
}

func (o *object[P]) leave() {
	o.mutex.Lock()
	o.users--
	free := o.last()
	o.mutex.Unlock()
	if free != nil {
		free(o.handle)
	}
}

// False: it was closed before.
func (o *object[P]) close() bool {
	if o == nil {
		return false
	}
	o.mutex.Lock()
	was := o.closed
	o.closed = true
	free := o.last()
	o.mutex.Unlock()
	if free != nil {
		free(o.handle)
	}
	return !was
}

// What frees the handle, once, where nobody needs it.
func (o *object[P]) last() func(P) {
	if !o.closed || o.users > 0 || o.free == nil {
		return nil
	}
	free := o.free
	o.free = nil
	runtime.SetFinalizer(o, nil)
	return free
}

func (o *object[P]) use(call func(P) error) error {
	handle, err := o.enter()
	if err != nil {
		return err
	}
	defer o.leave()
	return call(handle)
}
