package rondo

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

const prompt = "Today's weather is so"

// A whole life with the tiny model, whose file RONDO_TEST_MODEL names.
type fixture struct {
	*testing.T
	model  *Model
	engine *Engine
	ids    []int32
	text   string // 16 tokens after the prompt
}

func newFixture(t *testing.T) *fixture {
	path := os.Getenv("RONDO_TEST_MODEL")
	if path == "" {
		t.Skip("RONDO_TEST_MODEL is not set")
	}
	f := &fixture{T: t}
	var err error
	f.model, err = Open(path)
	f.must(err)
	f.engine, err = f.model.Engine(EngineOptions{Context: 256, MaxSessions: 4})
	f.must(err)
	f.ids, err = f.model.Tokenize(prompt, true)
	f.must(err)
	f.text = f.generate(f.session(SessionOptions{MaxTokens: 16}), f.ids)
	t.Cleanup(func() { // in any order
		f.model.Close()
		f.engine.Close()
		f.engine.Close()
	})
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) equal(got, want any) {
	f.Helper()
	if !reflect.DeepEqual(got, want) {
		f.Fatalf("got %v, want %v", got, want)
	}
}

func (f *fixture) fails(err error, status Status, words string) {
	f.Helper()
	if !errors.Is(err, status) || !strings.Contains(err.Error(), words) {
		f.Fatalf("got %v, want %v and %q", err, status, words)
	}
}

func (f *fixture) session(options SessionOptions) *Session {
	f.Helper()
	session, err := f.engine.Session(options)
	f.must(err)
	f.Cleanup(session.Close)
	return session
}

// The text after these tokens; the session is closed then.
func (f *fixture) generate(session *Session, ids []int32) string {
	f.Helper()
	if ids != nil {
		f.must(session.Prefill(ids))
	}
	text, err := session.Generate(context.Background())
	f.must(err)
	session.Close()
	return text
}

func TestFacts(t *testing.T) {
	f := newFixture(t)
	info, err := f.model.Info()
	f.must(err)
	f.equal(info.VocabSize, uint32(2048))
	eos, err := f.model.EOSTokens()
	f.must(err)
	f.equal(eos, []int32{1})
	architecture, err := f.model.Fact("architecture")
	f.must(err)
	f.equal(architecture, "LlamaForCausalLM")
	_, err = f.model.FactKeys()
	f.must(err)
	text, err := f.model.Detokenize(f.ids, true)
	f.must(err)
	f.equal(text, prompt)
	long := strings.Repeat("x", 3000)
	many, err := f.model.Tokenize(long, false)
	f.must(err)
	text, err = f.model.Detokenize(many, false)
	f.must(err)
	f.equal(text, long)
	version, err := Query("abi.version")
	f.must(err)
	f.equal(uint32(version), ABIVersion)
	f.equal(strings.Contains(Version(), "."), true)
}

func TestPlan(t *testing.T) {
	f := newFixture(t)
	options := EngineOptions{Context: 256, MaxSessions: 4}
	plan, err := f.model.Plan(options)
	f.must(err)
	memory, err := f.engine.Memory()
	f.must(err)
	memory.Threads = plan.Threads
	f.equal(memory, plan)
	regions, err := f.model.PlanRegions(options)
	f.must(err)
	region, err := f.engine.MemoryRegion(0)
	f.must(err)
	f.equal(region, regions[0])
	f.equal(region.Segment, int32(SegmentWeights))
	fit, err := f.model.PlanFit(plan.ArenaBytes, EngineOptions{MaxSessions: 4})
	f.must(err)
	f.equal(fit >= 256, true)
}

func TestStream(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{MaxTokens: 16, LogProbs: true})
	f.must(session.Prefill(f.ids))
	all, text, reason := f.ids, "", ReasonNone
	f.must(session.Stream(context.Background(), func(event Event) error {
		all, reason = append(all, event.Token), event.Reason
		text += event.Text
		f.equal(event.LogProb < 0, true)
		return nil
	}))
	f.equal(text, f.text)
	f.equal(reason, ReasonTokenLimit)
	tokens, err := session.Tokens()
	f.must(err)
	f.equal(tokens, all)
	remaining, err := session.Remaining()
	f.must(err)
	f.equal(remaining, uint64(256-len(all)))
	_, end, err := session.Evicted()
	f.must(err)
	f.equal(end, uint64(0))
	stopped := f.session(SessionOptions{Stop: []string{f.text[4:8]}})
	f.equal(f.generate(stopped, f.ids), f.text[:4])
}

const person = `{"type":"object","properties":{"name":{"type":"string","maxLength":12},
	"age":{"type":"integer","minimum":0,"maximum":130}},"required":["name","age"]}`

func (f *fixture) isPerson(text string) {
	f.Helper()
	read := json.NewDecoder(strings.NewReader(text))
	read.DisallowUnknownFields()
	var person struct {
		Name *string
		Age  *int
	}
	f.must(read.Decode(&person))
	if person.Name == nil || len([]rune(*person.Name)) > 12 || person.Age == nil || *person.Age < 0 ||
		*person.Age > 130 {
		f.Fatalf("not a person: %s", text)
	}
}

func TestAdapter(t *testing.T) {
	f := newFixture(t)
	adapter, err := f.model.Adapter(os.Getenv("RONDO_TEST_ADAPTER"))
	f.must(err)
	info, err := adapter.Info()
	f.must(err)
	f.equal(info.Rank, uint32(4))
	_, err = f.engine.Session(SessionOptions{Adapter: adapter})
	f.fails(err, StatusInvalidArgument, "adapter_rank is 0")
	f.engine, err = f.model.Engine(EngineOptions{Context: 256, MaxSessions: 4, AdapterRank: 4})
	f.must(err)
	f.equal(f.generate(f.session(SessionOptions{MaxTokens: 16}), f.ids), f.text)
	session := f.session(SessionOptions{MaxTokens: 16, Adapter: adapter})
	adapter.Close() // the session goes on
	adapter.Close()
	f.must(session.Prefill(f.ids))
	fork, err := session.Fork(SessionOptions{MaxTokens: 16})
	f.must(err)
	text := f.generate(session, nil)
	f.equal(text != f.text, true)
	f.equal(f.generate(fork, nil), text)
	_, err = f.engine.Session(SessionOptions{Adapter: adapter})
	f.equal(err, ErrClosed)
	_, err = f.model.Adapter(os.Getenv("RONDO_TEST_MODEL"))
	f.fails(err, StatusNotAModel, "it is a model")
}

func TestInputs(t *testing.T) {
	f := newFixture(t)
	info, err := f.model.Info()
	f.must(err)
	n := int(info.HiddenSize)
	rows := Input{Rows: make([]float32, 2*n)}
	halves := Input{BFloat16: make([]uint16, 3*n), SeesWhole: true,
		Coordinates: [][3]int32{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}}}
	none := f.session(SessionOptions{})
	f.fails(none.AppendInputs(rows), StatusInvalidArgument, "max_input_rows is 0")
	f.engine, err = f.model.Engine(EngineOptions{Context: 256, MaxInputRows: 8})
	f.must(err)
	session := f.session(SessionOptions{})
	f.must(session.AppendInputs(Input{IDs: f.ids}, rows, halves))
	tokens, err := session.Tokens()
	f.must(err)
	f.equal(tokens, append(append([]int32{}, f.ids...), -1, -1, -1, -1, -1))
	logits, err := session.Logits()
	f.must(err)
	f.equal(len(logits), 2048)
	f.must(session.AppendInputs(Input{IDs: []int32{3}}))
	event, err := session.Next()
	f.must(err)
	f.equal(event.Token >= 0, true)
	for _, wrong := range []struct {
		input Input
		words string
	}{
		{Input{Rows: rows.Rows[1:]}, "input 1: rows have"},
		{Input{BFloat16: halves.BFloat16[1:]}, "input 1: rows have"},
		{Input{Rows: rows.Rows, Coordinates: make([][3]int32, 1)}, "2 rows have 1 coordinates"},
		{Input{Rows: rows.Rows, IDs: f.ids}, "one is given"},
		{Input{Rows: make([]float32, 9*n)}, "max_input_rows is 8"},
		{Input{}, "no tokens"},
		{Input{IDs: f.ids, SeesWhole: true}, "sees_whole"},
	} {
		f.fails(session.AppendInputs(Input{IDs: f.ids}, wrong.input), StatusInvalidArgument, wrong.words)
	}
	f.fails(session.AppendInputs(), StatusInvalidArgument, "0 inputs")
	position, err := session.Position()
	f.must(err)
	f.equal(position, uint64(len(f.ids)+7))
}

// What takes no pictures says so.
func TestModelsThatDoNotSee(t *testing.T) {
	f := newFixture(t)
	info, err := f.model.Info()
	f.must(err)
	f.equal(info.PictureToken, int32(-1))
	_, err = f.model.ImagePlan(640, 480, ImageOptions{})
	f.fails(err, StatusUnsupported, "reads texts alone")
	picture := Image{Format: PixelsRGB8, Width: 2, Height: 2, Planes: [3][]byte{make([]byte, 12)}}
	_, err = f.engine.Media(context.Background(), picture, ImageOptions{})
	f.fails(err, StatusUnsupported, "max_media_rows is 0")
	picture.Strides[0] = 7
	_, err = f.engine.Media(context.Background(), picture, ImageOptions{})
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
	f.engine, err = f.model.Engine(EngineOptions{Context: 256, MaxSessions: 2, MaxMediaRows: 100})
	f.must(err)
	f.ids, err = f.model.Tokenize("See <image> here", false)
	f.must(err)
	t.Cleanup(f.model.Close)
	t.Cleanup(f.engine.Close)
	return f
}

// What the model predicts behind the picture.
func (f *fixture) see(picture Image) []float32 {
	f.Helper()
	media, err := f.engine.Media(context.Background(), picture, ImageOptions{})
	f.must(err)
	session := f.session(SessionOptions{})
	defer session.Close()
	f.must(session.AppendMedia(f.ids, media))
	media.Close() // the session goes on
	media.Close()
	logits, err := session.Logits()
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
	f.fails(err, StatusUnsupported, "min_tokens")

	picture := image.NewNRGBA(image.Rect(0, 0, 5, 7))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i * 37)
	}
	background := context.Background()
	media, err := f.engine.Media(background, ImageOf(picture), ImageOptions{})
	f.must(err)
	facts, err := media.Info()
	f.must(err)
	f.equal(facts, plan)
	session := f.session(SessionOptions{MaxTokens: 4})
	f.must(session.AppendMedia(f.ids, media))
	position, err := session.Position()
	f.must(err)
	f.equal(position, uint64(len(f.ids)-1+int(plan.Positions)))
	_, err = session.Generate(background)
	f.must(err)
	f.fails(session.AppendMedia(f.ids), StatusInvalidArgument, "")
	f.fails(session.AppendMedia(f.ids, media, media), StatusInvalidArgument, "")
	f.must(session.Reset())
	two := append(append([]int32{}, f.ids...), f.ids...)
	f.must(session.AppendMedia(two, media, media))
	other, err := f.model.Engine(EngineOptions{Context: 256, MaxMediaRows: 100})
	f.must(err)
	defer other.Close()
	foreign, err := other.Media(background, ImageOf(picture), ImageOptions{})
	f.must(err)
	defer foreign.Close()
	f.fails(session.AppendMedia(f.ids, foreign), StatusInvalidArgument, "another engine")
	media.Close()
	f.equal(session.AppendMedia(f.ids, media), ErrClosed)
	_, err = media.Info()
	f.equal(err, ErrClosed)
	session.Close()

	calls := 0
	_, err = f.engine.Media(background, ImageOf(image.NewGray(image.Rect(0, 0, 64, 64))),
		ImageOptions{Progress: func(done, total uint64) bool {
			calls++
			return done < 1
		}})
	f.fails(err, StatusCancelled, "")
	f.equal(calls, 1)
	ctx, cancel := context.WithCancel(background)
	_, err = f.engine.Media(ctx, ImageOf(image.NewGray(image.Rect(0, 0, 64, 64))),
		ImageOptions{Progress: func(done, total uint64) bool {
			cancel()
			return true
		}})
	f.equal(err, context.Canceled)
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
		{Image{Format: PixelsRGB8, Width: 9, Height: 7, Planes: [3][]byte{rgb},
			Strides: [3]int{26}}, "stride of 26 bytes"},
		{Image{Format: 7, Width: 9, Height: 7, Planes: [3][]byte{rgb}}, "no format"},
		{Image{Format: PixelsRGB8, Width: 9, Height: 7, Planes: [3][]byte{rgb}, Rotation: 45}, "45"},
		{Image{Format: PixelsRGB8}, "0 x 0"},
	} {
		_, err := f.engine.Media(context.Background(), wrong.of, ImageOptions{})
		f.fails(err, StatusInvalidArgument, wrong.words)
	}
}

// A model that embeds, with an engine of two sessions.
func newEmbedder(t *testing.T, name string) (f *fixture, sessions []*Session) {
	path := os.Getenv(name)
	if path == "" {
		t.Skip(name + " is not set")
	}
	f = &fixture{T: t}
	var err error
	f.model, err = Open(path)
	f.must(err)
	f.engine, err = f.model.Engine(EngineOptions{MaxSessions: 2})
	f.must(err)
	t.Cleanup(f.model.Close)
	t.Cleanup(f.engine.Close)
	return f, []*Session{f.session(SessionOptions{}), f.session(SessionOptions{})}
}

// The ids of what the model reads of each.
func (f *fixture) tokenize(texts []string, read func(string) (string, error)) (ids [][]int32) {
	f.Helper()
	for _, text := range texts {
		whole, err := read(text)
		f.must(err)
		some, err := f.model.Tokenize(whole, true)
		f.must(err)
		ids = append(ids, some)
	}
	return ids
}

func TestEmbedding(t *testing.T) {
	f, sessions := newEmbedder(t, "RONDO_TEST_EMBEDDER")
	facts, err := f.model.Embedder()
	f.must(err)
	f.equal([]uint32{facts.Dimensions, facts.MaxTokens, facts.ScoresPairs}, []uint32{192, 100, 0})
	f.equal(Pooling(facts.Pooling), PoolingMean)
	prompts, err := f.model.Prompts()
	f.must(err)
	f.equal(len(prompts), 2)
	said := func(text string, err error) string {
		f.must(err)
		return text
	}
	f.equal(said(f.model.EmbeddingText("Grüße")), "Query: Grüße")
	f.equal(said(f.model.EmbeddingTextFor("document", "Grüße")), "Grüße")
	f.equal(said(f.model.EmbeddingTextFor("", "Grüße")), "Grüße")
	_, err = f.model.EmbeddingTextFor("none", "a")
	f.fails(err, StatusInvalidArgument, "")
	_, err = f.model.PairText("a", "b")
	f.fails(err, StatusUnsupported, "")
	texts := f.tokenize([]string{"Once upon a time", "there was", "a girl who liked to play"}, f.model.EmbeddingText)
	vectors, err := f.engine.Embed(sessions, texts, 0)
	f.must(err)
	f.equal(len(vectors), 3)
	for i, vector := range vectors {
		squares := float32(0)
		for _, x := range vector {
			squares += x * x
		}
		f.equal(len(vector) == 192 && squares > 0.999 && squares < 1.001, true)
		alone, err := sessions[0].Embed(texts[i], 0)
		f.must(err)
		f.equal(alone, vector)
	}
	position, err := sessions[0].Position()
	f.must(err)
	f.equal(position, uint64(0))
	short, err := f.engine.Embed(sessions[:1], texts[:1], 8)
	f.must(err)
	alone, err := sessions[1].Embed(texts[0], 8)
	f.must(err)
	f.equal(len(alone), 8)
	f.equal(short, [][]float32{alone})
	none, err := f.engine.Embed(sessions, nil, 0)
	f.must(err)
	f.equal(len(none), 0)
	_, err = f.engine.Embed(sessions, [][]int32{texts[0], {}}, 0)
	f.fails(err, StatusInvalidArgument, "text 1 has no tokens")
	_, err = f.engine.Embed(nil, texts, 0)
	f.fails(err, StatusInvalidArgument, "0 sessions")
	for _, dimensions := range []int{193, 1 << 40, -1} {
		_, err = sessions[0].Embed(texts[0], dimensions)
		f.fails(err, StatusInvalidArgument, "")
	}
	_, err = sessions[0].Embed(make([]int32, 101), 0)
	f.fails(err, StatusContextFull, "100")
	f.fails(sessions[0].Prefill(texts[0]), StatusUnsupported, "")
	f.model.Close() // the engine goes on
	again, err := f.engine.Embed(sessions, texts, 0)
	f.must(err)
	f.equal(again, vectors)
	sessions[1].Close()
	_, err = f.engine.Embed(sessions, texts, 0)
	f.equal(err, ErrClosed)
}

func TestModelsThatPredictEmbedNothing(t *testing.T) {
	f := newFixture(t)
	facts, err := f.model.Embedder()
	f.must(err)
	f.equal(facts.Dimensions, uint32(0))
	_, err = f.model.EmbeddingText("a")
	f.fails(err, StatusUnsupported, "")
	session := f.session(SessionOptions{})
	_, err = session.Embed(f.ids, 0)
	f.fails(err, StatusUnsupported, "predicts tokens")
	_, err = f.engine.Embed([]*Session{session}, [][]int32{f.ids}, 0)
	f.fails(err, StatusUnsupported, "predicts tokens")
}

func TestScoresOfPairs(t *testing.T) {
	f, sessions := newEmbedder(t, "RONDO_TEST_SCORER")
	facts, err := f.model.Embedder()
	f.must(err)
	f.equal(facts.ScoresPairs, uint32(1))
	pair, err := f.model.PairTextFor("Find it", "Grüße?", "a hill")
	f.must(err)
	for _, part := range []string{"Find it", "Grüße?", "a hill"} {
		f.equal(strings.Contains(pair, part), true)
	}
	_, err = f.model.EmbeddingText("a")
	f.fails(err, StatusUnsupported, "")
	texts := f.tokenize([]string{"a hill", "the sea", "her mom"}, func(document string) (string, error) {
		return f.model.PairText("Where?", document)
	})
	scores, err := f.engine.Embed(sessions, texts, 0)
	f.must(err)
	for _, score := range scores {
		f.equal(len(score) == 1 && score[0] > 0 && score[0] < 1, true)
	}
	f.equal(scores[0][0] != scores[1][0], true)
	alone, err := sessions[1].Embed(texts[2], 0)
	f.must(err)
	f.equal(alone, scores[2])
}

func TestGrammar(t *testing.T) {
	f := newFixture(t)
	text := func(options SessionOptions) string {
		options.Temperature, options.Seed = Float32(1), 7
		session := f.session(options)
		f.must(session.Prefill(f.ids))
		text, reason := "", ReasonNone
		f.must(session.Stream(context.Background(), func(event Event) error {
			text, reason = text+event.Text, event.Reason
			return nil
		}))
		f.equal(reason == ReasonGrammar || reason == ReasonEOS, true)
		session.Close()
		return text
	}
	schema := json.RawMessage(person)
	said := text(SessionOptions{JSONSchema: schema})
	f.isPerson(said)
	grammar, err := f.model.Grammar(schema, GrammarOptions{OneSpace: true, NamedOnly: true})
	f.must(err)
	f.equal(text(SessionOptions{Grammar: grammar}), said)
	_, err = f.engine.Session(SessionOptions{Grammar: grammar, JSONSchema: schema})
	f.fails(err, StatusInvalidArgument, "one")
	session := f.session(SessionOptions{Grammar: grammar, Temperature: Float32(1), Seed: 7})
	grammar.Close() // the session goes on
	grammar.Close()
	_, err = f.engine.Session(SessionOptions{Grammar: grammar})
	f.equal(err, ErrClosed)
	letters, err := f.model.PatternGrammar("[ab]{4}c", GrammarOptions{})
	f.must(err)
	fork, err := session.Fork(SessionOptions{Grammar: letters})
	f.must(err)
	f.equal(f.generate(session, f.ids), said)
	matched, err := regexp.MatchString("^[ab]{4}c$", f.generate(fork, f.ids))
	f.must(err)
	f.equal(matched, true)
	ones, err := f.model.Grammar(map[string]any{"type": "array", "minItems": 2, "maxItems": 2,
		"items": map[string]any{"enum": []int{1}}}, GrammarOptions{NoSpaces: true})
	f.must(err)
	f.equal(text(SessionOptions{Grammar: ones}), "[1,1]")
	both := json.RawMessage(`{"type":"object","properties":{"a":{"enum":[1]},"b":{"enum":[2]}},
		"required":["a","b"],"additionalProperties":false}`)
	for anyOrder, wanted := range map[bool]string{false: `{"a":1,"b":2}`, true: `{"b":2,"a":1}`} {
		ordered, err := f.model.Grammar(both, GrammarOptions{NoSpaces: true, AnyOrder: anyOrder})
		f.must(err)
		f.equal(text(SessionOptions{Grammar: ordered}), wanted)
	}
}

func TestRefusedGrammar(t *testing.T) {
	f := newFixture(t)
	schema := json.RawMessage(`{"properties":{"a":{"uniqueItems":true}}}`)
	_, err := f.model.Grammar(schema, GrammarOptions{})
	f.fails(err, StatusUnsupported, "#/properties/a/uniqueItems")
	_, err = f.engine.Session(SessionOptions{JSONSchema: schema})
	f.fails(err, StatusUnsupported, "#/properties/a/uniqueItems")
}

func TestRulesAndWhereTheyBegin(t *testing.T) {
	f := newFixture(t)
	rules, err := f.model.RulesGrammar(`root ::= "sky" | "sea"`, GrammarOptions{})
	f.must(err)
	said := f.generate(f.session(SessionOptions{Grammar: rules}), f.ids)
	f.equal(said == "sky" || said == "sea", true)
	session := f.session(SessionOptions{})
	f.must(session.Prefill(f.ids))
	event, err := session.Next()
	f.must(err)
	letters, err := f.model.PatternGrammar("[ab]{3}", GrammarOptions{})
	f.must(err)
	options := SessionOptions{MaxTokens: 16, Grammar: letters, GrammarBegin: GrammarBeginAfterToken,
		GrammarToken: event.Token}
	whole := f.generate(f.session(options), f.ids)
	f.equal(regexp.MustCompile("^"+event.Text+"[ab]{3}$").MatchString(whole), true)
	options.GrammarGoesOn = true
	more := f.generate(f.session(options), f.ids)
	f.equal(strings.HasPrefix(more, whole) && len(more) > len(whole), true)
	size, err := f.model.PlanRulesGrammar(`root ::= "sky" | "sea"`, GrammarOptions{})
	f.must(err)
	f.equal(size > 0, true)
}

func TestThinking(t *testing.T) {
	f := newFixture(t)
	ids, err := f.model.Tokenize("Lily saw her mom", true)
	f.must(err)
	channels := func(options SessionOptions) (channels []Channel) {
		options.MaxTokens, options.Temperature, options.Seed = 32, Float32(1), 3
		session := f.session(options)
		f.must(session.Prefill(ids))
		f.must(session.Stream(context.Background(), func(event Event) error {
			channels = append(channels, event.Channel)
			return nil
		}))
		session.Close()
		return channels
	}
	f.equal(channels(SessionOptions{}), make([]Channel, 32))
	words := SessionOptions{Thinking: true, ThinkingBegin: " mom", ThinkingEnd: " day.\n"}
	f.equal(channels(words)[0], ChannelThinking)
	words.ThinkingTokens = 1
	bounded := channels(words)
	n := 0
	for bounded[n] == ChannelThinking {
		n++
	}
	f.equal(n < 8, true)
	_, err = f.engine.Session(SessionOptions{Thinking: true})
	f.fails(err, StatusUnsupported, "chat template")
}

// A model with a template that knows functions and thoughts.
func (f *fixture) calling() *Model {
	f.Helper()
	model, err := Open(os.Getenv("RONDO_TEST_CALLING"))
	f.must(err)
	return model
}

var ask = Chat{Messages: json.RawMessage(`[{"role": "user", "content": "How is the weather?"}]`),
	Tools: json.RawMessage(`[{"type": "function", "function": {"name": "weather", "parameters": {
		"type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"],
		"additionalProperties": false}}}]`)}

func TestChatParser(t *testing.T) {
	f := newFixture(t)
	parser, err := f.calling().ChatParser(ask)
	f.must(err)
	answer := "<think>\nso\n</think>\n\nGrüße<tool_call>\n" +
		`{"name": "weather", "arguments": {"city": "Rome"}}` + "\n</tool_call>"
	for i := 0; i < 2; i++ {
		texts := map[ChatPartKind]string{}
		var call, end ChatPart
		take := func() {
			parts, err := parser.Parts()
			f.must(err)
			for _, part := range parts {
				texts[part.Kind] += part.Text
				if part.Kind == ChatPartCall {
					call = part
				}
				end = part
			}
		}
		for j := range []byte(answer) {
			f.must(parser.Push([]byte(answer)[j:j+1], false))
			take()
		}
		f.must(parser.Push(nil, true))
		take()
		f.equal([]string{texts[ChatPartThinking], texts[ChatPartContent]}, []string{"so", "Grüße"})
		f.equal(call, ChatPart{Kind: ChatPartCall, Name: "weather"})
		f.equal(end, ChatPart{Kind: ChatPartCallEnd, Name: "weather", Arguments: `{"city": "Rome"}`})
		f.equal(texts[ChatPartArguments], end.Arguments)
		f.fails(parser.Push([]byte("more"), false), StatusInvalidArgument, "")
		f.must(parser.Reset())
	}
	parser.Close()
	f.equal(parser.Push(nil, false), ErrClosed)
	none := ask
	none.Template = "{{ messages[0].content }}"
	_, err = f.model.ChatParser(none)
	f.fails(err, StatusUnsupported, "")
}

func TestCalls(t *testing.T) {
	f := newFixture(t)
	model := f.calling()
	rules, err := model.ChatGrammar(ask, CallsOne, "weather")
	f.must(err)
	_, err = model.ChatGrammar(ask, CallsAuto, "absent")
	f.fails(err, StatusInvalidArgument, "absent")
	grammar, err := model.RulesGrammar(rules, GrammarOptions{})
	f.must(err)
	engine, err := model.Engine(EngineOptions{Context: 256, MaxSessions: 3})
	f.must(err)
	session, err := engine.Session(SessionOptions{Grammar: grammar})
	f.must(err)
	begun, err := model.PatternGrammar("<tool_ca", GrammarOptions{})
	f.must(err)
	content := func(options SessionOptions) (text string) {
		session, err := engine.Session(options)
		f.must(err)
		session.ChatParts(context.Background(), ask)(func(part ChatPart, err error) bool {
			f.must(err)
			f.equal(part.Kind, ChatPartContent)
			text += part.Text
			return true
		})
		return text
	}
	f.equal(content(SessionOptions{Grammar: begun}), "<tool_ca") // looks like a call to its end
	// The end is no content.
	f.equal(content(SessionOptions{LogitBias: map[int32]float32{1: 1e9}}), "")
	var parts []ChatPart
	take := func(part ChatPart, err error) bool {
		f.must(err)
		parts = append(parts, part)
		return true
	}
	session.ChatParts(context.Background(), ask)(take)
	end := parts[len(parts)-1]
	f.equal([]ChatPartKind{parts[0].Kind, end.Kind}, []ChatPartKind{ChatPartCall, ChatPartCallEnd})
	var arguments struct{ City string }
	f.must(json.Unmarshal([]byte(end.Arguments), &arguments))
	f.equal(arguments.City == "Rome" || arguments.City == "Oslo", true)
	calls := 0
	session.ChatParts(context.Background(), ask)(func(ChatPart, error) bool {
		calls++
		return false
	})
	f.equal(calls, 1)
	session.ChatParts(context.Background(), Chat{})(func(_ ChatPart, err error) bool {
		f.fails(err, StatusInvalidArgument, "")
		return true
	})
	begin, ended, err := model.ChatThinking(ask)
	f.must(err)
	f.equal([]string{strings.TrimSpace(begin), strings.TrimSpace(ended)}, []string{"<think>", "</think>"})
}

func TestPlainContent(t *testing.T) {
	f := newFixture(t)
	chat := Chat{Messages: []map[string]string{{"role": "user", "content": "<|pad|>"}}}
	count := func(token int32) (n int) {
		ids, err := f.calling().ChatIDs(chat)
		f.must(err)
		for _, id := range ids {
			if id == token {
				n++
			}
		}
		return n
	}
	f.equal([]int{count(2), count(1)}, []int{0, 1}) // the end is the template's own
	chat.SpecialContent = true
	f.equal(count(2), 1)
}

func TestPlanOfGrammar(t *testing.T) {
	f := newFixture(t)
	few := GrammarOptions{MemoryBytes: 1 << 20}
	small, err := f.model.PlanGrammar(json.RawMessage(person), few)
	f.must(err)
	large, err := f.model.PlanGrammar(json.RawMessage(person), GrammarOptions{})
	f.must(err)
	f.equal(small > 0 && small < large, true)
	pattern, err := f.model.PlanPatternGrammar("a", few)
	f.must(err)
	f.equal(pattern, small)
}

func TestCPUs(t *testing.T) {
	f := newFixture(t)
	state, err := os.ReadFile("/proc/self/status")
	f.must(err)
	allowed := regexp.MustCompile(`Cpus_allowed_list:\s*(\d+)`).FindSubmatch(state)
	cpu, err := strconv.ParseUint(string(allowed[1]), 10, 32)
	f.must(err)
	options := EngineOptions{Context: 64, Threads: 2, CPUs: []uint32{uint32(cpu)}}
	engine, err := f.model.Engine(options)
	f.must(err)
	defer engine.Close()
	memory, err := engine.Memory()
	f.must(err)
	f.equal(memory.Threads, uint32(2))
	session, err := engine.Session(SessionOptions{MaxTokens: 16})
	f.must(err)
	f.equal(f.generate(session, f.ids), f.text)
	options.Threads = 0
	plan, err := f.model.Plan(options)
	f.must(err)
	f.equal(plan.Threads, uint32(1))
	_, err = f.model.Engine(EngineOptions{Context: 64, Affinity: AffinityCPUs, CPUs: []uint32{1023}})
	f.fails(err, StatusInvalidArgument, "1023")
}

func TestRecommended(t *testing.T) {
	f := newFixture(t)
	model, err := Open(os.Getenv("RONDO_TEST_RECOMMENDING"))
	f.must(err)
	engine, err := model.Engine(EngineOptions{Context: 256, MaxSessions: 4})
	f.must(err)
	model.Close() // in any order
	text := func(options SessionOptions) string {
		options.MaxTokens = 16
		session, err := engine.Session(options)
		f.must(err)
		return f.generate(session, f.ids)
	}
	recommended := text(SessionOptions{})
	f.equal(recommended == f.text, false)
	f.equal(text(SessionOptions{Temperature: Float32(1.5), TopK: Int32(50)}), recommended)
	f.equal(text(SessionOptions{Temperature: Float32(0)}), " lovely and bright. Lily ran down the ")
	f.equal(text(SessionOptions{LibraryDefaults: true}), f.text)
	greedy, err := engine.Session(SessionOptions{LibraryDefaults: true})
	f.must(err)
	f.must(greedy.Prefill(f.ids))
	fork, err := greedy.Fork(SessionOptions{MaxTokens: 16})
	f.must(err)
	f.equal(f.generate(fork, nil), recommended)
}

func TestLogits(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{})
	var last float32
	f.must(session.PrefillLogits(f.ids, func(_ int, logits []float32) { last = logits[7] }))
	logits, err := session.Logits()
	f.must(err)
	f.equal(len(logits), 2048)
	f.equal(logits[7], last)
	best := int32(0)
	for i, logit := range logits {
		if logit > logits[best] {
			best = int32(i)
		}
	}
	event, err := session.Next()
	f.must(err)
	f.equal(event.Token, best)
	f.must(session.Undo(1))
	f.must(session.Accept(best))
	position, err := session.Position()
	f.must(err)
	f.equal(position, uint64(len(f.ids)+1))
	f.must(session.Reset())
}

func TestCancel(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{IgnoreEOS: true})
	f.must(session.Cancel())
	f.fails(session.Prefill(f.ids), StatusCancelled, "")
	number, err := session.CallNumber()
	f.must(err)
	f.must(session.Prefill(f.ids))
	f.must(session.CancelCall(number)) // it is over: nothing happens
	next, err := session.CallNumber()
	f.must(err)
	f.equal(next, number+1)
	f.must(session.CancelCall(next))
	_, err = session.Next()
	f.fails(err, StatusCancelled, "")
	f.fails(session.CancelCall(next+2), StatusInvalidArgument, "")
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer stop()
	err = nil
	for err == nil {
		f.must(session.Reset())
		f.must(session.Prefill(f.ids))
		err = session.Stream(ctx, func(Event) error { return nil })
	}
	f.equal(err, context.DeadlineExceeded)
	f.must(session.Reset())
	done := make(chan error)
	long := make([]int32, 200)
	go func() {
		var err error
		for err == nil {
			if err = session.Prefill(long); err == nil {
				err = session.Reset()
			}
		}
		done <- err
	}()
	session.Close() // while it runs
	if err := <-done; !errors.Is(err, StatusCancelled) && !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
}

// As iter.Seq2 of Go 1.23.
type seq2 func(yield func(Event, error) bool)

func TestEvents(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{MaxTokens: 16})
	f.must(session.Prefill(f.ids))
	var events seq2 = session.Events(context.Background())
	text, n := "", 0
	take := func(until int) func(Event, error) bool {
		return func(event Event, err error) bool {
			f.must(err)
			text += event.Text
			n++
			return n < until
		}
	}
	events(take(6))
	f.equal(n, 6)
	events(take(1000))
	f.equal(n, 16)
	f.equal(text, f.text)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	calls := 0
	session.Events(ctx)(func(_ Event, err error) bool {
		f.equal(err, context.Canceled)
		calls++
		return true
	})
	f.equal(calls, 1)
}

func TestFork(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{})
	f.must(session.Prefill(f.ids))
	fork, err := session.Fork(SessionOptions{MaxTokens: 16})
	f.must(err)
	event, err := fork.Next()
	f.must(err)
	f.must(fork.Undo(1))
	other, err := session.Fork(SessionOptions{MaxTokens: 16, LogitBias: map[int32]float32{event.Token: -1e9}})
	f.must(err)
	f.equal(f.generate(fork, nil), f.text)
	f.equal(f.generate(other, nil) == f.text, false)
}

func TestStep(t *testing.T) {
	f := newFixture(t)
	alone, texts := map[*Session]string{}, map[*Session]string{}
	var running []*Session
	for _, prompt := range []string{prompt, "Once upon a time", "The cat"} {
		ids, err := f.model.Tokenize(prompt, true)
		f.must(err)
		text := f.generate(f.session(SessionOptions{MaxTokens: 12}), ids)
		session := f.session(SessionOptions{MaxTokens: 12})
		f.must(session.Append(ids))
		alone[session] = text
		running = append(running, session)
	}
	for len(running) > 0 {
		f.must(f.engine.Step(running...))
		var still []*Session
		for _, session := range running {
			event, err := session.Event()
			f.must(err)
			texts[session] += event.Text
			if event.Reason == ReasonNone {
				still = append(still, session)
			}
		}
		running = still
	}
	f.equal(texts, alone)
	stats, err := f.engine.Stats()
	f.must(err)
	f.equal(stats.SessionsOpen, uint32(3))
}

func TestSnapshot(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{MaxTokens: 16})
	f.must(session.Prefill(f.ids))
	begun := ""
	for i := 0; i < 6; i++ {
		event, err := session.Next()
		f.must(err)
		begun += event.Text
	}
	saved, err := session.Save()
	f.must(err)
	engine, err := f.model.Engine(EngineOptions{Context: 256})
	f.must(err)
	other, err := engine.Session(SessionOptions{MaxTokens: 16})
	f.must(err)
	f.must(other.Restore(saved))
	saved[len(saved)-1] ^= 1
	f.fails(other.Restore(saved), StatusCorrupt, "")
	f.equal(begun+f.generate(other, nil), f.text)
}

func TestObservation(t *testing.T) {
	f := newFixture(t)
	engine, err := f.model.Engine(EngineOptions{Context: 64, ProfileEvents: 1000, DutyPercent: 90})
	f.must(err)
	session, err := engine.Session(SessionOptions{MaxTokens: 4})
	f.must(err)
	f.must(session.Prefill(f.ids))
	_, err = session.Generate(context.Background())
	f.must(err)
	stats, err := session.Stats()
	f.must(err)
	f.equal(stats.TokensGenerated, uint64(4))
	done, total, err := session.Progress()
	f.must(err)
	f.equal(done, total)
	event, _, ok, err := engine.Profile(0)
	f.must(err)
	f.equal(ok && event.Name != "", true)
	_, _, ok, err = engine.Profile(1 << 40)
	f.must(err)
	f.equal(ok, false)
}

func TestChat(t *testing.T) {
	f := newFixture(t)
	chat := Chat{Messages: []map[string]string{{"role": "user", "content": "Grüße"}}}
	_, err := f.model.RenderChat(chat)
	f.fails(err, StatusUnsupported, "")
	chat.Template = "{{ messages[0].content }}{{ tail }}"
	chat.Variables = map[string]string{"tail": "!"}
	text, err := f.model.RenderChat(chat)
	f.must(err)
	f.equal(text, "Grüße!")
	ids, err := f.model.ChatIDs(chat)
	f.must(err)
	want, err := f.model.Tokenize("Grüße!", false)
	f.must(err)
	f.equal(ids, want)
	session := f.session(SessionOptions{MaxTokens: 16})
	f.must(session.Prefill(f.ids)) // is taken back
	answer := ""
	session.Chat(context.Background(), chat)(func(event Event, err error) bool {
		f.must(err)
		answer += event.Text
		return true
	})
	f.equal(answer, f.generate(f.session(SessionOptions{MaxTokens: 16}), ids))
	session.Chat(context.Background(), Chat{Template: "x"})(func(_ Event, err error) bool {
		f.fails(err, StatusInvalidArgument, "")
		return true
	})
	names, err := f.model.ChatTemplateNames()
	f.must(err)
	f.equal(names, []string{})
	_, err = f.model.ChatTemplate("default")
	f.fails(err, StatusInvalidArgument, "")
}

func TestErrors(t *testing.T) {
	f := newFixture(t)
	_, err := Open("absent.rondo")
	f.fails(err, StatusIOError, "absent.rondo")
	_, err = f.model.Engine(EngineOptions{MaxRows: 50000})
	f.fails(err, StatusInvalidArgument, "max_rows")
	_, err = f.model.Engine(EngineOptions{Progress: func(done, total uint64) bool { return false }})
	f.fails(err, StatusCancelled, "")
	session := f.session(SessionOptions{})
	f.fails(session.Prefill([]int32{2048}), StatusInvalidArgument, "2048")
	f.fails(session.Prefill(nil), StatusInvalidArgument, "")
	f.fails(session.Prefill(make([]int32, 257)), StatusContextFull, "")
	_, err = session.Next()
	f.fails(err, StatusNoLogits, "")
	session.Close()
	_, err = session.Next()
	f.equal(err, ErrClosed)
	_, err = Query("no such thing")
	f.fails(err, StatusUnsupported, "")
}

func TestNewerLibrary(t *testing.T) {
	if os.Getenv("RONDO_TEST_NEWER") == "" {
		t.Skip("the library is today's")
	}
	f := newFixture(t)
	_, err := Query("of tomorrow")
	f.fails(err, Status(1000), "rondo: ")
	session := f.session(SessionOptions{MaxTokens: 4})
	f.must(session.Prefill(f.ids))
	var reasons []Reason
	var channels []Channel
	f.must(session.Stream(context.Background(), func(event Event) error {
		reasons, channels = append(reasons, event.Reason), append(channels, event.Channel)
		return nil
	}))
	f.equal(reasons, []Reason{0, 0, 0, 1000})
	f.equal(channels, []Channel{0, 0, 0, 1000})
	parser, err := f.calling().ChatParser(Chat{Messages: []string{}})
	f.must(err)
	f.must(parser.Push([]byte("hi"), true))
	parts, err := parser.Parts()
	f.must(err)
	f.equal(parts, []ChatPart{{Kind: 1000, Text: "hi"}})
}
