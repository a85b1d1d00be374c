package rondo

// #include <rondo/rondo.h>
//
// // Go's memory may hold no pointers to planes while C runs: they come beside the image.
// static int32_t rondo_go_media_create(rondo_engine* engine, rondo_image image, const void* plane0,
//                                      const void* plane1, const void* plane2,
//                                      const rondo_image_options* options, rondo_media** media,
//                                      char* message, size_t message_bytes) {
//   image.plane0 = plane0, image.plane1 = plane1, image.plane2 = plane2;
//   return rondo_media_create(engine, &image, options, media, message, message_bytes);
// }
import "C"

import (
	"context"
	"unsafe"
)

// Media is a picture as an engine's rows. Any number of sessions of the engine share it, from any
// goroutine; they keep the rows that they have when it is closed.
type Media struct {
	state *object[*C.rondo_media]
}

// ImageOptions are those of rondo_image_options. What is 0 is the default.
type ImageOptions struct {
	// MinTokens and MaxTokens: rows of the picture in the text, of families in which they follow from
	// its size: at least and at most about so many.
	MinTokens, MaxTokens int
	// OneTile: the picture is not cut into tiles, where the family does.
	OneTile bool
	// Progress is told how far Engine.Media is.
	Progress Progress
}

func (o *ImageOptions) raw() (raw C.rondo_image_options, err error) {
	err = check(C.rondo_image_options_init(&raw, C.sizeof_rondo_image_options))
	if err != nil {
		return raw, err
	}
	var s setting
	number(&s, &raw.min_tokens, "MinTokens", o.MinTokens)
	number(&s, &raw.max_tokens, "MaxTokens", o.MaxTokens)
	raw.one_tile = cBool(o.OneTile)
	return raw, s.err
}

// ImagePlan tells what becomes of a picture of this size, upright, without a pixel and without an
// engine.
func (m *Model) ImagePlan(width, height int, options ImageOptions) (ImageFacts, error) {
	facts := C.rondo_image_facts{struct_size: C.sizeof_rondo_image_facts}
	raw, err := options.raw()
	if err != nil {
		return ImageFacts{}, err
	}
	if width < 0 || height < 0 || width > most || height > most {
		return ImageFacts{}, refused("a picture of %d x %d pixels; each is 1 to %d", width, height, most)
	}
	err = m.with(func(handle *C.rondo_model) error {
		return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
			return C.rondo_image_plan(handle, C.uint32_t(width), C.uint32_t(height), &raw, &facts,
				message, bytes)
		})
	})
	return imageFactsOf(&facts), err
}

// Media encodes a picture, between the passes of sessions. For engines with the option MaxMediaRows. Where
// ctx is done, so is the call, behind a slice of the work.
func (e *Engine) Media(ctx context.Context, picture Image, options ImageOptions) (*Media, error) {
	image, err := picture.raw()
	if err != nil {
		return nil, err
	}
	raw, err := options.raw()
	if err != nil {
		return nil, err
	}
	plane := func(i int) unsafe.Pointer {
		if len(picture.Planes[i]) == 0 {
			return nil
		}
		return unsafe.Pointer(&picture.Planes[i][0])
	}
	var media *C.rondo_media
	kept := false
	defer func() { // also where Progress panics
		if !kept {
			C.rondo_media_close(media)
		}
	}()
	err = e.with(func(handle *C.rondo_engine) error {
		return watched(ctx, options.Progress, func(user C.uintptr_t) error {
			watchImage(&raw, user)
			return checkMessage(func(message *C.char, bytes C.size_t) C.int32_t {
				return C.rondo_go_media_create(handle, image, plane(0), plane(1), plane(2), &raw, &media,
					message, bytes)
			})
		})
	})
	if err != nil {
		return nil, err
	}
	kept = true
	return &Media{newObject(media, func(media *C.rondo_media) { C.rondo_media_close(media) })}, nil
}

// Info tells what became of the picture.
func (m *Media) Info() (ImageFacts, error) {
	facts := C.rondo_image_facts{struct_size: C.sizeof_rondo_image_facts}
	err := m.with(func(handle *C.rondo_media) error {
		return check(C.rondo_media_info(handle, &facts))
	})
	return imageFactsOf(&facts), err
}

// Close gives it up; sessions go on. Closing twice does nothing. It never fails.
func (m *Media) Close() error {
	if m != nil {
		m.state.close()
	}
	return nil
}

func (m *Media) with(use func(*C.rondo_media) error) error {
	if m == nil {
		return ErrClosed
	}
	return m.state.use(use)
}

// AppendMedia queues ids, of which each that is ModelFacts.PictureToken stands for the next of media.
// Chat templates write that token where a message has a part {"type": "image"}.
func (s *Session) AppendMedia(ids []int32, media ...*Media) error {
	var arrays lent
	defer arrays.free()
	list := (**C.rondo_media)(arrays.take(len(media) * int(unsafe.Sizeof(uintptr(0)))))
	for i, one := range media {
		if one == nil {
			return refused("media %d is nil", i)
		}
		handle, err := one.state.enter()
		if err != nil {
			return err
		}
		defer one.state.leave()
		unsafe.Slice(list, len(media))[i] = handle
	}
	return s.call(func(handle *C.rondo_session) C.int32_t {
		return C.rondo_session_append_media(handle, first(ids), C.size_t(len(ids)), list,
			C.size_t(len(media)))
	})
}
