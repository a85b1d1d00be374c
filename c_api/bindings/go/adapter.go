package rondo

// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import "unsafe"

// Adapter is a LoRA adapter for a model. Any number of sessions share it, from any goroutine; they keep
// what they need of it when it is closed.
type Adapter struct {
	state *object[*C.rondo_adapter]
}

// Adapter opens a file that `rondo convert --adapter-for` made for this model.
func (m *Model) Adapter(path string) (*Adapter, error) {
	name, err := cString("the path", path)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(name))
	var adapter *C.rondo_adapter
	err = m.with(func(handle *C.rondo_model) error {
		return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
			return C.rondo_adapter_open_path(handle, name, &adapter, message, bytes)
		})
	})
	if err != nil {
		return nil, withSystems(err, path)
	}
	return &Adapter{newObject(adapter, func(adapter *C.rondo_adapter) { C.rondo_adapter_close(adapter) })}, nil
}

// Info tells what the adapter is: EngineOptions.AdapterRank must be at least its Rank.
func (a *Adapter) Info() (AdapterFacts, error) {
	facts := C.rondo_adapter_facts{struct_size: C.sizeof_rondo_adapter_facts}
	err := a.with(func(handle *C.rondo_adapter) error {
		return check(C.rondo_adapter_info(handle, &facts))
	})
	return adapterFactsOf(&facts), err
}

// Close gives it up; sessions go on. Closing twice does nothing. It never fails.
func (a *Adapter) Close() error {
	if a != nil {
		a.state.close()
	}
	return nil
}

func (a *Adapter) with(use func(*C.rondo_adapter) error) error {
	if a == nil {
		return ErrClosed
	}
	return a.state.use(use)
}
