package rondo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// b01
func TestVersions(t *testing.T) {
	if !strings.Contains(Version(), ".") || !strings.Contains(PackageVersion, ".") {
		t.Fatal(Version(), PackageVersion)
	}
	if want := os.Getenv("RONDO_TEST_VERSION"); want != "" && (want != Version() || want != PackageVersion) {
		t.Fatal(want, Version(), PackageVersion)
	}
}

// b05, b06, and a zero byte, which would cut a path.
func TestFilesThatAreNoModels(t *testing.T) {
	f := newFixture(t)
	_, err := Open("no/such.rondo")
	f.fails(err, StatusIOError, "no/such.rondo")
	f.equal(errors.Is(err, fs.ErrNotExist) && errors.Is(err, ErrIOError), true)
	var failed *Error
	f.equal(errors.As(err, &failed) && failed.Status == StatusIOError, true)
	text := filepath.Join(t.TempDir(), "text.rondo")
	f.must(os.WriteFile(text, []byte(strings.Repeat("no model ", 100)), 0o600))
	_, err = Open(text)
	f.fails(err, StatusNotAModel, "")
	_, err = Open(os.Getenv("RONDO_TEST_MODEL") + "\x00.rondo")
	f.fails(err, StatusInvalidArgument, "zero byte")
	file, err := os.Open(os.Getenv("RONDO_TEST_MODEL"))
	f.must(err)
	model, err := OpenFile(file, 0, -1)
	f.must(err)
	_, err = OpenFile(file, -64, -1)
	f.fails(err, StatusInvalidArgument, "-64")
	f.must(file.Close())
	_, err = model.Info()
	f.must(err)
	_, err = OpenFile(file, 0, -1)
	f.equal(err != nil, true)
	_, err = OpenFile(nil, 0, -1)
	f.equal(err != nil, true)
}

// b04
func TestFactsOfAFile(t *testing.T) {
	f := newFixture(t)
	info, err := f.model.Info()
	f.must(err)
	f.equal([]int{info.VocabSize, info.ContextLength, info.NLayers}, []int{2048, 512, 4})
}

// b08
func TestTextsOfAllLetters(t *testing.T) {
	f := newFixture(t)
	for _, text := range []string{"Grüße, 你好 🙂 a\x00b", ""} {
		ids, err := f.model.Tokenize(text, false)
		f.must(err)
		again, err := f.model.Detokenize(ids, false)
		f.must(err)
		f.equal(again, text)
	}
}

// b19, b20
func TestGenerate(t *testing.T) {
	f := newFixture(t)
	text, err := f.session(SessionOptions{MaxTokens: 16}).Generate(ctx, prompt)
	f.must(err)
	f.equal(text, f.text)
	text, err = f.session(SessionOptions{MaxTokens: 16}).GenerateIDs(ctx, f.ids)
	f.must(err)
	f.equal(text, f.text)
}

// b21
func TestStreamOfWholeCharacters(t *testing.T) {
	f := newFixture(t)
	grammar, err := f.model.PatternGrammar("(ü|🙂){6}", GrammarOptions{})
	f.must(err)
	options := SessionOptions{Grammar: grammar, Temperature: Float(1), Seed: 5}
	whole, err := f.session(options).Generate(ctx, prompt)
	f.must(err)
	stream, text, pieces := f.session(options).Stream(ctx, prompt), "", 0
	for stream.Next() {
		f.equal(utf8.ValidString(stream.Event().Text), true)
		text, pieces = text+stream.Event().Text, pieces+1
	}
	f.must(stream.Err())
	f.equal(text, whole)
	f.equal(pieces > 6 && utf8.RuneCountInString(text) == 6, true) // of several tokens each
}

// b22: a list of texts, as the type says; what would be cut or never match is refused.
func TestStops(t *testing.T) {
	f := newFixture(t)
	text, err := f.session(SessionOptions{MaxTokens: 16, Stop: []string{"not there", f.text[4:8]}}).Generate(ctx, prompt)
	f.must(err)
	f.equal(text, f.text[:4])
	for _, wrong := range []string{"", "a\x00b"} {
		_, err = f.engine.Session(SessionOptions{Stop: []string{wrong}})
		f.fails(err, StatusInvalidArgument, "Stop")
	}
	_, err = f.engine.Session(SessionOptions{Stop: make([]string, 17)})
	f.fails(err, StatusInvalidArgument, "Stop")
}

// b23
func TestReasons(t *testing.T) {
	f := newFixture(t)
	last := func(options SessionOptions) (reason Reason) {
		stream := f.session(options).Stream(ctx, prompt)
		for stream.Next() {
			reason = stream.Event().Reason
		}
		f.must(stream.Err())
		stream.session.Close()
		return reason
	}
	f.equal(last(SessionOptions{MaxTokens: 4}), ReasonTokenLimit)
	f.equal(last(SessionOptions{Stop: []string{f.text[:2]}}), ReasonStopString)
	f.equal(last(SessionOptions{LogitBias: map[int32]float32{1: 1e9}}), ReasonEOS)
	f.equal([]string{ReasonEOS.String(), ReasonStopString.String(), ReasonTokenLimit.String(), Reason(77).String()},
		[]string{"EOS", "StopString", "TokenLimit", "Reason(77)"})
	f.equal(Status(9999).String() != "", true)
}

// b24, b25: nothing is computed but what was read.
func TestStreamsThatAreLeft(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{MaxTokens: 100})
	within, stop := context.WithCancel(ctx)
	defer stop()
	stream := session.Stream(within, prompt)
	for i := 0; i < 3; i++ {
		f.equal(stream.Next(), true)
	}
	stats, err := session.Stats()
	f.must(err)
	f.equal(stats.TokensGenerated, uint64(3))
	f.must(session.Reset())
	text, err := session.Generate(ctx, prompt)
	f.must(err)
	f.equal(strings.HasPrefix(text, f.text), true)
}

// b24: a stream tells no tokens of another one.
func TestTwoStreamsOfOneSession(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{MaxTokens: 8})
	old, new := session.Stream(ctx, prompt), session.Stream(ctx, prompt)
	f.equal([]bool{old.Next(), new.Next(), old.Next()}, []bool{true, true, false})
	f.fails(old.Err(), StatusBusy, "another generation")
	conversation := session.ChatStream(ctx, Chat{Template: "{{ messages[0].content }}", Messages: ask.Messages})
	f.equal([]bool{conversation.Next(), new.Next()}, []bool{true, false})
	f.fails(new.Err(), StatusBusy, "another generation")
	text, err := session.Continue(ctx).Text()
	f.must(err)
	f.equal(text != "", true)
	_, err = conversation.Reply()
	f.fails(err, StatusBusy, "another generation")
	var zero ChatStream
	f.equal(zero.Next(), false)
	f.equal(zero.Err(), ErrClosed)
}

// b22: a stop string is no part of an answer, what is before it in its token is.
func TestStopStringsOfAnswers(t *testing.T) {
	f := newFixture(t)
	chat := Chat{Template: "{{ messages[0].content }}", Messages: ask.Messages}
	said := func(stop ...string) Reply {
		session := f.session(SessionOptions{MaxTokens: 8, Stop: stop})
		defer session.Close()
		reply, err := session.Chat(ctx, chat)
		f.must(err)
		return reply
	}
	whole := said().Text
	for _, letter := range whole {
		stopped := said(string(letter))
		f.equal(stopped.Reason, ReasonStopString)
		f.equal(stopped.Text, whole[:strings.IndexRune(whole, letter)])
	}
}

// b26
func TestSeeds(t *testing.T) {
	f := newFixture(t)
	said := func(seed uint64) string {
		session := f.session(SessionOptions{MaxTokens: 16, Temperature: Float(1.5), Seed: seed})
		defer session.Close()
		text, err := session.Generate(ctx, prompt)
		f.must(err)
		return text
	}
	f.equal(said(1), said(1))
	f.equal(said(1) != said(2) || said(1) != said(3), true)
}
