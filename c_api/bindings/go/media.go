package rondo

// #include <rondo/rondo.h>
//
// int32_t rondoGoProgress(void* user, uint64_t done, uint64_t total);
//
// // Go's memory may hold no pointers to planes while C runs: they come beside the image.
// static int32_t rondo_go_media_create(rondo_engine* engine, rondo_image image, const void* plane0,
//                                      const void* plane1, const void* plane2,
//                                      rondo_image_options options, uintptr_t user,
//                                      rondo_media** media, char* message, size_t message_bytes) {
//   image.plane0 = plane0, image.plane1 = plane1, image.plane2 = plane2;
//   options.progress = user == 0 ? NULL : rondoGoProgress;
//   options.progress_user = (void*)user;
//   return rondo_media_create(engine, &image, &options, media, message, message_bytes);
// }
import "C"

import (
	"context"
	"errors"
	"runtime"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// Media is a picture as an engine's rows. Any number of sessions of the engine share it, from any
// goroutine; they keep the rows that they have when it is closed.
type Media struct {
	mutex  sync.RWMutex
	handle *C.rondo_media
}

// ImageOptions are those of rondo_image_options. What is 0 is the default.
type ImageOptions struct {
	// MinTokens and MaxTokens: rows of the picture in the text, of families in which they follow from
	// its size: at least and at most about so many.
	MinTokens, MaxTokens uint32
	// OneTile: the picture is not cut into tiles, where the family does.
	OneTile bool
	// Progress is told how far Engine.Media is. False cancels. It must not panic.
	Progress func(done, total uint64) bool
}

func (o *ImageOptions) raw() (raw C.rondo_image_options, err error) {
	err = check(C.rondo_image_options_init(&raw, C.sizeof_rondo_image_options))
	set(&raw.min_tokens, o.MinTokens)
	set(&raw.max_tokens, o.MaxTokens)
	raw.one_tile = cBool(o.OneTile)
	return raw, err
}

// ImagePlan tells what becomes of a picture of this size, upright, without a pixel and without an
// engine.
func (m *Model) ImagePlan(width, height uint32, options ImageOptions) (ImageFacts, error) {
	facts := C.rondo_image_facts{struct_size: C.sizeof_rondo_image_facts}
	raw, err := options.raw()
	if err != nil {
		return ImageFacts{}, err
	}
	err = m.with(func(handle *C.rondo_model) error {
		return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
			return C.rondo_image_plan(handle, C.uint32_t(width), C.uint32_t(height), &raw, &facts,
				message, bytes)
		})
	})
	return imageFactsOf(&facts), err
}

// Media encodes a picture, between the passes of sessions. For engines with the option MaxMediaRows. Where ctx is done, so is the
// call, behind a slice of the work.
func (e *Engine) Media(ctx context.Context, picture Image, options ImageOptions) (*Media, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	image, err := picture.raw()
	if err != nil {
		return nil, err
	}
	raw, err := options.raw()
	if err != nil {
		return nil, err
	}
	var user C.uintptr_t
	if options.Progress != nil || ctx.Done() != nil {
		handle := cgo.NewHandle(func(done, total uint64) bool {
			return ctx.Err() == nil && (options.Progress == nil || options.Progress(done, total))
		})
		defer handle.Delete()
		user = C.uintptr_t(handle)
	}
	plane := func(i int) unsafe.Pointer {
		if len(picture.Planes[i]) == 0 {
			return nil
		}
		return unsafe.Pointer(&picture.Planes[i][0])
	}
	media := &Media{}
	err = e.with(func(handle *C.rondo_engine) error {
		return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
			return C.rondo_go_media_create(handle, image, plane(0), plane(1), plane(2), raw, user,
				&media.handle, message, bytes)
		})
	})
	if errors.Is(err, StatusCancelled) && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(media, (*Media).Close)
	return media, nil
}

// Info tells what became of the picture.
func (m *Media) Info() (ImageFacts, error) {
	facts := C.rondo_image_facts{struct_size: C.sizeof_rondo_image_facts}
	err := m.with(func(handle *C.rondo_media) error {
		return check(C.rondo_media_info(handle, &facts))
	})
	return imageFactsOf(&facts), err
}

// Close gives the handle up; sessions go on. Closing twice does nothing.
func (m *Media) Close() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	C.rondo_media_close(m.handle)
	m.handle = nil
}

func (m *Media) with(use func(*C.rondo_media) error) error {
	m.mutex.RLock()
	defer m.mutex.RUnlock()
	if m.handle == nil {
		return ErrClosed
	}
	return use(m.handle)
}

// AppendMedia queues ids, of which each that is ModelFacts.PictureToken stands for the next of media.
// Chat templates write that token where a message has a part {"type": "image"}.
func (s *Session) AppendMedia(ids []int32, media ...*Media) error {
	var arrays lent
	defer arrays.free()
	list := (**C.rondo_media)(arrays.take(len(media) * int(unsafe.Sizeof(uintptr(0)))))
	for i, one := range media {
		// The library refuses one that is closed meanwhile. A lock held up to its call would stand
		// in the way of itself where one is given twice.
		err := one.with(func(handle *C.rondo_media) error {
			unsafe.Slice(list, len(media))[i] = handle
			return nil
		})
		if err != nil {
			return err
		}
	}
	defer runtime.KeepAlive(media)
	return s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_append_media(handle, first(ids), C.size_t(len(ids)), list,
			C.size_t(len(media)))
	})
}
