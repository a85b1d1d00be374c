package rondo

// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"unsafe"
)

// Model is a model file, verified and mapped. Immutable.
type Model struct {
	mutex  sync.RWMutex
	handle *C.rondo_model
}

// Open opens the file that `rondo convert` made.
func Open(path string) (*Model, error) {
	text := C.CString(path)
	defer C.free(unsafe.Pointer(text))
	return open(func(model **C.rondo_model, message *C.char, bytes C.size_t) C.int32_t {
		return C.rondo_model_open_path(C.RONDO_ABI_VERSION, text, model, message, bytes)
	})
}

// OpenFile opens a model inside of another file: length bytes from offset, a multiple of 64. A
// negative length: all that follows. The file may be closed afterwards.
func OpenFile(file *os.File, offset, length int64) (*Model, error) {
	model, err := open(func(model **C.rondo_model, message *C.char, bytes C.size_t) C.int32_t {
		return C.rondo_model_open_fd(C.RONDO_ABI_VERSION, C.int32_t(file.Fd()), C.uint64_t(offset),
			C.uint64_t(length), model, message, bytes) // -1 is UINT64_MAX
	})
	runtime.KeepAlive(file)
	return model, err
}

func open(call func(model **C.rondo_model, message *C.char, bytes C.size_t) C.int32_t) (*Model, error) {
	var handle *C.rondo_model
	err := checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
		return call(&handle, message, bytes)
	})
	if err != nil {
		return nil, err
	}
	model := &Model{handle: handle}
	runtime.SetFinalizer(model, (*Model).Close)
	return model, nil
}

// Close gives the handle up. Closing twice does nothing.
func (m *Model) Close() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	C.rondo_model_close(m.handle)
	m.handle = nil
}

func (m *Model) with(use func(*C.rondo_model) error) error {
	m.mutex.RLock()
	defer m.mutex.RUnlock()
	if m.handle == nil {
		return ErrClosed
	}
	return use(m.handle)
}

func (m *Model) text(call func(*C.rondo_model, *C.char, C.size_t, *C.size_t) C.int32_t) (text string, err error) {
	err = m.with(func(handle *C.rondo_model) error {
		text, err = textOutput(func(buffer *C.char, capacity C.size_t, length *C.size_t) C.int32_t {
			return call(handle, buffer, capacity, length)
		})
		return err
	})
	return text, err
}

// Info tells the model's numbers.
func (m *Model) Info() (ModelFacts, error) {
	raw := C.rondo_model_facts{struct_size: C.sizeof_rondo_model_facts}
	err := m.with(func(handle *C.rondo_model) error { return check(C.rondo_model_info(handle, &raw)) })
	return modelFactsOf(&raw), err
}

// EOSTokens are the tokens that end a generation.
func (m *Model) EOSTokens() ([]int32, error) {
	info, err := m.Info()
	tokens := make([]int32, info.NEOSTokens)
	for i := range tokens {
		if err == nil {
			err = m.with(func(handle *C.rondo_model) error {
				return check(C.rondo_model_eos_token(handle, C.uint32_t(i), first(tokens[i:])))
			})
		}
	}
	return tokens, err
}

// Fact is what the file's maker wrote about it: "name", "architecture", "producer" and others.
func (m *Model) Fact(key string) (string, error) {
	name := C.CString(key)
	defer C.free(unsafe.Pointer(name))
	return m.text(func(handle *C.rondo_model, buffer *C.char, capacity C.size_t, length *C.size_t) C.int32_t {
		return C.rondo_model_fact(handle, name, buffer, capacity, length)
	})
}

// FactKeys lists the other keys.
func (m *Model) FactKeys() ([]string, error) {
	return m.names(func(handle *C.rondo_model, index C.uint32_t, buffer *C.char, capacity C.size_t, length *C.size_t) C.int32_t {
		return C.rondo_model_fact_key(handle, index, buffer, capacity, length)
	})
}

// ChatTemplateNames lists the chat templates; the first serves where no other is asked for.
func (m *Model) ChatTemplateNames() ([]string, error) {
	return m.names(func(handle *C.rondo_model, index C.uint32_t, buffer *C.char, capacity C.size_t, length *C.size_t) C.int32_t {
		return C.rondo_model_chat_template_name(handle, index, buffer, capacity, length)
	})
}

func (m *Model) names(call func(*C.rondo_model, C.uint32_t, *C.char, C.size_t, *C.size_t) C.int32_t) ([]string, error) {
	names := []string{}
	for {
		name, err := m.text(func(handle *C.rondo_model, buffer *C.char, capacity C.size_t, length *C.size_t) C.int32_t {
			return call(handle, C.uint32_t(len(names)), buffer, capacity, length)
		})
		if errors.Is(err, StatusInvalidArgument) { // behind the last one
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
}

// ChatTemplate is the Jinja text of the template of this name.
func (m *Model) ChatTemplate(name string) (string, error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return m.text(func(handle *C.rondo_model, buffer *C.char, capacity C.size_t, length *C.size_t) C.int32_t {
		return C.rondo_model_chat_template(handle, text, buffer, capacity, length)
	})
}

// Tokenize turns a text into ids. Texts of special tokens become these tokens: check what strangers
// write.
func (m *Model) Tokenize(text string, addSpecial bool) (ids []int32, err error) {
	bytes := C.CString(text)
	defer C.free(unsafe.Pointer(bytes))
	ids = make([]int32, len(text)/2+16)
	err = m.with(func(handle *C.rondo_model) error {
		for {
			var count C.size_t
			status := C.rondo_tokenize(handle, bytes, C.size_t(len(text)), cBool(addSpecial)*C.RONDO_TOKENIZE_ADD_SPECIAL,
				first(ids), C.size_t(len(ids)), &count)
			if Status(status) != StatusBufferTooSmall {
				ids = ids[:count]
				return check(status)
			}
			ids = make([]int32, count)
		}
	})
	return ids, err
}

// Detokenize turns ids into text.
func (m *Model) Detokenize(ids []int32, skipSpecial bool) (string, error) {
	return m.text(func(handle *C.rondo_model, buffer *C.char, capacity C.size_t, length *C.size_t) C.int32_t {
		return C.rondo_detokenize(handle, first(ids), C.size_t(len(ids)),
			cBool(skipSpecial)*C.RONDO_DETOKENIZE_SKIP_SPECIAL, buffer, capacity, length)
	})
}

// Plan tells what an engine with these options will take, to the byte.
func (m *Model) Plan(options EngineOptions) (MemoryPlan, error) {
	plan := C.rondo_memory_plan{struct_size: C.sizeof_rondo_memory_plan}
	err := m.with(func(handle *C.rondo_model) error {
		return options.with(func(raw *C.rondo_engine_options) error {
			return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
				return C.rondo_plan(handle, raw, &plan, message, bytes)
			})
		})
	})
	return memoryPlanOf(&plan), err
}

// PlanRegions lists the parts of that plan, lowest address first.
func (m *Model) PlanRegions(options EngineOptions) ([]MemoryRegion, error) {
	plan, err := m.Plan(options)
	regions := make([]MemoryRegion, plan.NRegions)
	for i := range regions {
		if err == nil {
			err = m.with(func(handle *C.rondo_model) error {
				return options.with(func(raw *C.rondo_engine_options) error {
					region := C.rondo_memory_region{struct_size: C.sizeof_rondo_memory_region}
					err := check(C.rondo_plan_region(handle, raw, C.uint32_t(i), &region))
					regions[i] = memoryRegionOf(&region)
					return err
				})
			})
		}
	}
	return regions, err
}

// PlanFit is the largest context whose plan fits into so many bytes.
func (m *Model) PlanFit(size uint64, options EngineOptions) (uint32, error) {
	var context C.uint32_t
	err := m.with(func(handle *C.rondo_model) error {
		return options.with(func(raw *C.rondo_engine_options) error {
			return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
				return C.rondo_plan_fit(handle, raw, C.uint64_t(size), &context, message, bytes)
			})
		})
	})
	return uint32(context), err
}
