package rondo

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// What takes no pictures says so.
func TestModelsThatDoNotSee(t *testing.T) {
	f := newFixture(t)
	info, err := f.model.Info()
	f.must(err)
	f.equal(info.PictureToken, int32(-1))
	_, err = f.model.ImagePlan(640, 480, ImageOptions{})
	f.fails(err, StatusUnsupported, "reads texts alone")
	picture := Image{Format: PixelsRGB8, Width: 2, Height: 2, Planes: [3][]byte{make([]byte, 12)}}
	_, err = f.engine.Media(ctx, picture, ImageOptions{})
	f.fails(err, StatusUnsupported, "MaxMediaRows is 0")
	picture.Strides[0] = 7
	_, err = f.engine.Media(ctx, picture, ImageOptions{})
	f.fails(err, StatusInvalidArgument, "plane 0 of the image has 12 bytes")
	f.must(f.session(SessionOptions{}).AppendMedia(f.ids))
}

// A model that sees, and ids with a place for a picture.
func newSeeing(t *testing.T) *fixture {
	path := os.Getenv("RONDO_TEST_SEEING")
	if path == "" {
		t.Skip("RONDO_TEST_SEEING is not set")
	}
	f := &fixture{T: t}
	var err error
	f.model, err = Open(path)
	f.must(err)
	f.engine, err = f.model.Engine(ctx, EngineOptions{Context: 256, MaxSessions: 2, MaxMediaRows: 100})
	f.must(err)
	f.ids, err = f.model.Tokenize("See <image> here", false)
	f.must(err)
	t.Cleanup(func() { f.model.Close() })
	t.Cleanup(func() { f.engine.Close() })
	return f
}

// What the model predicts behind the picture.
func (f *fixture) see(picture Image) []float32 {
	f.Helper()
	media, err := f.engine.Media(ctx, picture, ImageOptions{})
	f.must(err)
	session := f.session(SessionOptions{})
	defer session.Close()
	f.must(session.AppendMedia(f.ids, media))
	media.Close() // the session goes on
	media.Close()
	logits, err := session.Logits(ctx)
	f.must(err)
	return logits
}

func TestMedia(t *testing.T) {
	f := newSeeing(t)
	info, err := f.model.Info()
	f.must(err)
	token, err := f.model.Tokenize("<image>", false)
	f.must(err)
	f.equal(token, []int32{info.PictureToken})
	plan, err := f.model.ImagePlan(5, 7, ImageOptions{})
	f.must(err)
	f.equal(plan.TileColumns > 1 && plan.Positions > plan.Rows, true)
	whole, err := f.model.ImagePlan(5, 7, ImageOptions{OneTile: true})
	f.must(err)
	f.equal(whole.Rows > 0 && whole.Rows < plan.Rows, true)
	_, err = f.model.ImagePlan(5, 7, ImageOptions{MinTokens: 3})
	f.fails(err, StatusUnsupported, "MinTokens")

	picture := image.NewNRGBA(image.Rect(0, 0, 5, 7))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i * 37)
	}
	media, err := f.engine.Media(ctx, ImageOf(picture), ImageOptions{})
	f.must(err)
	facts, err := media.Info()
	f.must(err)
	f.equal(facts, plan)
	session := f.session(SessionOptions{MaxTokens: 4})
	f.must(session.AppendMedia(f.ids, media))
	position, err := session.Position()
	f.must(err)
	f.equal(position, uint64(len(f.ids)-1+int(plan.Positions)))
	_, err = session.Continue(ctx).Text()
	f.must(err)
	f.fails(session.AppendMedia(f.ids), StatusInvalidArgument, "")
	f.fails(session.AppendMedia(f.ids, media, media), StatusInvalidArgument, "")
	f.must(session.Reset())
	two := append(append([]int32{}, f.ids...), f.ids...)
	f.must(session.AppendMedia(two, media, media))
	other, err := f.model.Engine(ctx, EngineOptions{Context: 256, MaxMediaRows: 100})
	f.must(err)
	defer other.Close()
	foreign, err := other.Media(ctx, ImageOf(picture), ImageOptions{})
	f.must(err)
	defer foreign.Close()
	f.fails(session.AppendMedia(f.ids, foreign), StatusInvalidArgument, "another engine")
	media.Close()
	f.equal(session.AppendMedia(f.ids, media), ErrClosed)
	_, err = media.Info()
	f.equal(err, ErrClosed)
	session.Close()

	calls := 0
	_, err = f.engine.Media(ctx, ImageOf(image.NewGray(image.Rect(0, 0, 64, 64))),
		ImageOptions{Progress: func(done, total uint64) bool {
			calls++
			return false
		}})
	f.fails(err, StatusCancelled, "")
	f.equal(calls, 1)
	within, cancel := context.WithCancel(ctx)
	_, err = f.engine.Media(within, ImageOf(image.NewGray(image.Rect(0, 0, 640, 640))),
		ImageOptions{Progress: func(done, total uint64) bool {
			cancel()
			return true
		}})
	f.equal(err == nil || errors.Is(err, context.Canceled), true) // it may be ready before
	_, err = f.engine.Media(within, ImageOf(image.NewGray(image.Rect(0, 0, 64, 64))), ImageOptions{})
	f.equal(errors.Is(err, context.Canceled) && errors.Is(err, ErrCancelled), true)
}

// Equal pictures are seen alike, whichever the type.
func TestImages(t *testing.T) {
	f := newSeeing(t)
	bounds := image.Rect(0, 0, 9, 7)
	all, opaque := image.NewNRGBA(bounds), image.NewRGBA(bounds)
	deep, veiled := image.NewRGBA64(bounds), image.NewNRGBA(bounds)
	gray, halves := image.NewGray(bounds), image.NewYCbCr(bounds, image.YCbCrSubsampleRatio420)
	rgb := make([]byte, 0, 9*7*3)
	for y := 0; y < 7; y++ {
		for x := 0; x < 9; x++ {
			one := color.NRGBA{byte(x * 28), byte(y * 36), byte(x * y * 3), 255}
			rgb = append(rgb, one.R, one.G, one.B)
			all.SetNRGBA(x, y, one)
			opaque.Set(x, y, one)
			deep.Set(x, y, one)
			one.A = 128
			veiled.SetNRGBA(x, y, one)
			gray.SetGray(x, y, color.Gray{Y: byte(x*20 + y)})
			halves.Y[halves.YOffset(x, y)] = byte(x*20 + y)
			halves.Cb[halves.COffset(x, y)] = byte(100 + x)
			halves.Cr[halves.COffset(x, y)] = byte(150 - y)
		}
	}
	packed := Image{Format: PixelsRGB8, Width: 9, Height: 7, Planes: [3][]byte{rgb}}
	seen := f.see(packed)
	for _, same := range []image.Image{all, opaque, deep, veiled} {
		f.equal(f.see(ImageOf(same)), seen)
	}
	part := image.Rect(1, 2, 6, 6)
	cut := f.see(ImageOf(all.SubImage(part)))
	f.equal(f.see(ImageOf(deep.SubImage(part))), cut)
	f.equal(reflect.DeepEqual(cut, seen), false)
	packed.Rotation, packed.Mirror = 90, true
	f.equal(reflect.DeepEqual(f.see(packed), seen), false)
	f.equal(ImageOf(gray).Format, PixelsGray8)
	f.see(ImageOf(gray))

	jpeg := ImageOf(halves)
	f.equal([]any{jpeg.Format, jpeg.Range}, []any{PixelsI420, YUVFull})
	seen = f.see(jpeg)
	both := make([]byte, 0, len(halves.Cb)*2)
	for i := range halves.Cb {
		both = append(both, halves.Cr[i], halves.Cb[i])
	}
	jpeg.Format, jpeg.Planes[1], jpeg.Planes[2], jpeg.Strides = PixelsNV21, both, nil, [3]int{}
	f.equal(f.see(jpeg), seen)
	f.equal(ImageOf(halves.SubImage(image.Rect(2, 2, 9, 7))).Format, PixelsI420)
	f.equal(ImageOf(halves.SubImage(image.Rect(1, 2, 9, 7))).Format, PixelsRGBA8)

	for _, wrong := range []struct {
		of    Image
		words string
	}{
		{Image{Format: PixelsRGB8, Width: 9, Height: 7, Planes: [3][]byte{rgb[1:]}}, "plane 0"},
		{Image{Format: PixelsNV21, Width: 9, Height: 7, Planes: [3][]byte{rgb, both[1:]}}, "plane 1"},
		{Image{Format: PixelsI420, Width: 9, Height: 7, Planes: [3][]byte{rgb, both}}, "plane 2"},
		{Image{Format: PixelsRGB8, Width: 9, Height: 7, Planes: [3][]byte{rgb},
			Strides: [3]int{-1}}, "plane 0"},
		{Image{Format: PixelsRGB8, Width: 1 << 40, Height: 7}, "65535"},
		{Image{Format: PixelsRGB8, Width: 9, Height: 7, Rotation: 1 << 33}, "Rotation"},
		{Image{Format: PixelsRGB8, Width: 9, Height: 7, Planes: [3][]byte{rgb},
			Strides: [3]int{26}}, "stride of 26 bytes"},
		{Image{Format: PixelsRGB8, Width: 9, Height: 7, Planes: [3][]byte{rgb, both}}, "plane 1 is given"},
		{Image{Format: 7, Width: 9, Height: 7, Planes: [3][]byte{rgb}}, "no format"},
		{Image{Format: PixelsRGB8, Width: 9, Height: 7, Planes: [3][]byte{rgb}, Rotation: 45}, "45"},
		{Image{Format: PixelsRGB8}, "0 x 0"},
	} {
		_, err := f.engine.Media(ctx, wrong.of, ImageOptions{})
		f.fails(err, StatusInvalidArgument, wrong.words)
	}
}

// b33: as the program rondo, whose answer is beside the models.
func TestAnswerAboutAPicture(t *testing.T) {
	f := newSeeing(t)
	folder := filepath.Dir(os.Getenv("RONDO_TEST_SEEING"))
	want, err := os.ReadFile(filepath.Join(folder, "picture.txt"))
	f.must(err)
	file, err := os.Open(filepath.Join(folder, "picture.png"))
	f.must(err)
	defer file.Close()
	picture, err := png.Decode(file)
	f.must(err)
	plan, err := f.model.ImagePlan(picture.Bounds().Dx(), picture.Bounds().Dy(), ImageOptions{})
	f.must(err)
	f.engine, err = f.model.Engine(ctx, EngineOptions{MaxMediaRows: plan.Rows})
	f.must(err)
	media, err := f.engine.Media(ctx, ImageOf(picture), ImageOptions{})
	f.must(err)
	chat := Chat{Media: []*Media{media}, Messages: []Message{{Role: "user", Content: []any{
		map[string]string{"type": "image"}, map[string]string{"type": "text", "text": "What is in the picture?"}}}}}
	ids, err := f.model.ChatIDs(chat)
	f.must(err)
	session := f.session(SessionOptions{MaxTokens: 64})
	f.must(session.AppendMedia(ids, media))
	text, err := session.Continue(ctx).Text()
	f.must(err)
	f.equal(text, strings.TrimSuffix(string(want), "\n"))
	reply, err := session.Chat(ctx, chat) // its parts are the bytes that the model said
	f.must(err)
	f.equal(len(reply.Text) > 0, true)
	chat.Media = nil
	_, err = session.Chat(ctx, chat)
	f.fails(err, StatusInvalidArgument, "")
}
