package rondo

// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import (
	"runtime"
	"sync"
	"unsafe"
)

// Adapter is a LoRA adapter for a model. Any number of sessions share it, from any goroutine; they keep
// what they need of it when it is closed.
type Adapter struct {
	mutex  sync.RWMutex
	handle *C.rondo_adapter
}

// Adapter opens a file that `rondo convert --adapter-for` made for this model.
func (m *Model) Adapter(path string) (*Adapter, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	adapter := &Adapter{}
	err := m.with(func(handle *C.rondo_model) error {
		return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
			return C.rondo_adapter_open_path(handle, name, &adapter.handle, message, bytes)
		})
	})
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(adapter, (*Adapter).Close)
	return adapter, nil
}

// Info tells what the adapter is: EngineOptions.AdapterRank must be at least its Rank.
func (a *Adapter) Info() (AdapterFacts, error) {
	facts := C.rondo_adapter_facts{struct_size: C.sizeof_rondo_adapter_facts}
	err := a.with(func(handle *C.rondo_adapter) error {
		return check(C.rondo_adapter_info(handle, &facts))
	})
	return adapterFactsOf(&facts), err
}

// Close gives the handle up; sessions go on. Closing twice does nothing.
func (a *Adapter) Close() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	C.rondo_adapter_close(a.handle)
	a.handle = nil
}

func (a *Adapter) with(use func(*C.rondo_adapter) error) error {
	a.mutex.RLock()
	defer a.mutex.RUnlock()
	if a.handle == nil {
		return ErrClosed
	}
	return use(a.handle)
}
