package rondo

// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import (
	"errors"
	"os"
	"unsafe"
)

// Model is a model file, verified and mapped. Immutable.
type Model struct {
	state *object[*C.rondo_model]
	kept  bool // an engine's or a session's, for which it stays when it is closed
}

// Open opens the file that `rondo convert` made. Where the system cannot read it the error is the
// system's, too: errors.Is(err, fs.ErrNotExist).
func Open(path string) (*Model, error) {
	text, err := cString("the path", path)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(text))
	model, err := open(func(model **C.rondo_model, message *C.char, bytes C.size_t) C.int32_t {
		return C.rondo_model_open_path(C.RONDO_ABI_VERSION, text, model, message, bytes)
	})
	return model, withSystems(err, path)
}

// The error of what could not be opened, with the system's in it.
func withSystems(err error, path string) error {
	var failed *Error
	if errors.As(err, &failed) && failed.Status == StatusIOError {
		file, why := os.Open(path)
		failed.cause = why
		if why == nil {
			_ = file.Close()
		}
	}
	return err
}

// OpenFile opens a model inside of another file: length bytes from offset, a multiple of 64. A
// negative length: all that follows. The file may be closed afterwards.
func OpenFile(file *os.File, offset, length int64) (*Model, error) {
	if offset < 0 {
		return nil, refused("the offset is %d", offset)
	}
	if length < 0 {
		length = -1 // UINT64_MAX
	}
	connection, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	var model *Model
	refusal := connection.Control(func(fd uintptr) {
		model, err = open(func(model **C.rondo_model, message *C.char, bytes C.size_t) C.int32_t {
			return C.rondo_model_open_fd(C.RONDO_ABI_VERSION, C.int32_t(fd), C.uint64_t(offset),
				C.uint64_t(length), model, message, bytes)
		})
	})
	if refusal != nil {
		return nil, refusal
	}
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
	return &Model{state: newObject(handle, func(handle *C.rondo_model) { C.rondo_model_close(handle) })}, nil
}

// Close gives the model up; its engines and sessions go on. Closing twice does nothing. It never fails.
func (m *Model) Close() error {
	if m != nil {
		m.state.close()
	}
	return nil
}

func (m *Model) with(use func(*C.rondo_model) error) error {
	if m == nil {
		return ErrClosed
	}
	if !m.kept {
		return m.state.use(use)
	}
	handle, err := m.state.enterKept()
	if err != nil {
		return err
	}
	defer m.state.leave()
	return use(handle)
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
	if err != nil {
		return nil, err
	}
	tokens := make([]int32, info.NEOSTokens)
	err = m.with(func(handle *C.rondo_model) error {
		for i := range tokens {
			if err := check(C.rondo_model_eos_token(handle, C.uint32_t(i), first(tokens[i:]))); err != nil {
				return err
			}
		}
		return nil
	})
	return tokens, err
}

// Fact is what the file's maker wrote about it: "name", "architecture", "producer" and others.
func (m *Model) Fact(key string) (string, error) {
	name, err := cString("the key", key)
	if err != nil {
		return "", err
	}
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
	text, err := cString("the name", name)
	if err != nil {
		return "", err
	}
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
	text, err := m.text(func(handle *C.rondo_model, buffer *C.char, capacity C.size_t, length *C.size_t) C.int32_t {
		return C.rondo_detokenize(handle, first(ids), C.size_t(len(ids)),
			cBool(skipSpecial)*C.RONDO_DETOKENIZE_SKIP_SPECIAL, buffer, capacity, length)
	})
	return text, explained(err, map[Status]string{
		StatusInvalidArgument: "ids has a number that is no token of the model"})
}
