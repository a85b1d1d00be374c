package rondo

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

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
	f.engine, err = f.model.Engine(ctx, EngineOptions{MaxSessions: 2})
	f.must(err)
	t.Cleanup(func() { f.model.Close() })
	t.Cleanup(func() { f.engine.Close() })
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
	f.equal([]any{facts.Dimensions, facts.MaxTokens, facts.ScoresPairs}, []any{192, 100, false})
	f.equal(facts.Pooling, PoolingMean)
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
	f.fails(err, StatusInvalidArgument, "no prompt named \"none\"")
	_, err = f.model.PairText("a", "b")
	f.fails(err, StatusUnsupported, "scores no pairs")
	_, err = f.model.Detokenize([]int32{1 << 20}, false)
	f.fails(err, StatusInvalidArgument, "no token of the model")
	texts := f.tokenize([]string{"Once upon a time", "there was", "a girl who liked to play"}, f.model.EmbeddingText)
	vectors, err := f.engine.EmbedIDs(ctx, sessions, texts, 0)
	f.must(err)
	f.equal(len(vectors), 3)
	for i, vector := range vectors {
		squares := float32(0)
		for _, x := range vector {
			squares += x * x
		}
		f.equal(len(vector) == 192 && squares > 0.999 && squares < 1.001, true)
		alone, err := sessions[0].Embed(ctx, texts[i], 0)
		f.must(err)
		f.equal(alone, vector)
	}
	position, err := sessions[0].Position()
	f.must(err)
	f.equal(position, uint64(0))
	short, err := f.engine.EmbedIDs(ctx, sessions[:1], texts[:1], 8)
	f.must(err)
	alone, err := sessions[1].Embed(ctx, texts[0], 8)
	f.must(err)
	f.equal(len(alone), 8)
	f.equal(short, [][]float32{alone})
	none, err := f.engine.EmbedIDs(ctx, sessions, nil, 0)
	f.must(err)
	f.equal(len(none), 0)
	_, err = f.engine.EmbedIDs(ctx, sessions, [][]int32{texts[0], {}}, 0)
	f.fails(err, StatusInvalidArgument, "text 1 has no tokens")
	_, err = f.engine.EmbedIDs(ctx, nil, texts, 0)
	f.fails(err, StatusInvalidArgument, "0 sessions")
	for _, dimensions := range []int{193, 1 << 40, -1} {
		_, err = sessions[0].Embed(ctx, texts[0], dimensions)
		f.fails(err, StatusInvalidArgument, "")
	}
	_, err = sessions[0].Embed(ctx, make([]int32, 101), 0)
	f.fails(err, StatusContextFull, "100")
	f.fails(sessions[0].Prefill(ctx, texts[0]), StatusUnsupported, "")
	f.model.Close() // the engine goes on
	again, err := f.engine.EmbedIDs(ctx, sessions, texts, 0)
	f.must(err)
	f.equal(again, vectors)
	sessions[1].Close()
	_, err = f.engine.EmbedIDs(ctx, sessions, texts, 0)
	f.equal(err, ErrClosed)
}

func TestModelsThatPredictEmbedNothing(t *testing.T) {
	f := newFixture(t)
	facts, err := f.model.Embedder()
	f.must(err)
	f.equal(facts.Dimensions, 0)
	_, err = f.model.EmbeddingText("a")
	f.fails(err, StatusUnsupported, "makes no vectors of texts")
	session := f.session(SessionOptions{})
	_, err = session.Embed(ctx, f.ids, 0)
	f.fails(err, StatusUnsupported, "predicts tokens")
	_, err = f.engine.EmbedIDs(ctx, []*Session{session}, [][]int32{f.ids}, 0)
	f.fails(err, StatusUnsupported, "predicts tokens")
}

func TestScoresOfPairs(t *testing.T) {
	f, sessions := newEmbedder(t, "RONDO_TEST_SCORER")
	facts, err := f.model.Embedder()
	f.must(err)
	f.equal(facts.ScoresPairs, true)
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
	scores, err := f.engine.EmbedIDs(ctx, sessions, texts, 0)
	f.must(err)
	for _, score := range scores {
		f.equal(len(score) == 1 && score[0] > 0 && score[0] < 1, true)
	}
	f.equal(scores[0][0] != scores[1][0], true)
	alone, err := sessions[1].Embed(ctx, texts[2], 0)
	f.must(err)
	f.equal(alone, scores[2])
}

// b31
func TestEmbedTexts(t *testing.T) {
	f, sessions := newEmbedder(t, "RONDO_TEST_EMBEDDER")
	_, err := f.engine.Embed(ctx, []string{"no place is free"}, EmbedOptions{})
	f.fails(err, StatusBusy, "")
	sessions[0].Close()
	texts := []string{"the sky is blue", "Once upon a time", "no"}
	vectors, err := f.engine.Embed(ctx, texts, EmbedOptions{Prompt: "document"})
	f.must(err)
	sessions[1].Close()
	both, err := f.engine.Embed(ctx, texts, EmbedOptions{NoPrompt: true})
	f.must(err)
	f.equal(both, vectors) // its prompt for documents is none
	asked, err := f.engine.Embed(ctx, texts[1:2], EmbedOptions{NoPrompt: true})
	f.must(err)
	best, highest := -1, float32(-1)
	for i, vector := range vectors {
		similar, squares := float32(0), float32(0)
		for j, x := range vector {
			similar, squares = similar+x*asked[0][j], squares+x*x
		}
		f.equal(squares > 0.999 && squares < 1.001, true)
		if similar > highest {
			best, highest = i, similar
		}
	}
	f.equal(texts[best], "Once upon a time")
	short, err := f.engine.Embed(ctx, texts, EmbedOptions{Dimensions: 8})
	f.must(err)
	f.equal([]int{len(short), len(short[0])}, []int{3, 8})
	none, err := f.engine.Embed(ctx, nil, EmbedOptions{})
	f.must(err)
	f.equal(len(none), 0)
	_, err = f.engine.Embed(ctx, texts, EmbedOptions{Prompt: "poem"})
	f.fails(err, StatusInvalidArgument, "")
	_, err = f.engine.Embed(ctx, texts, EmbedOptions{Prompt: "query", NoPrompt: true})
	f.fails(err, StatusInvalidArgument, "one is given")
	for _, dimensions := range []int{193, 1 << 40, -1} {
		_, err = f.engine.Embed(ctx, texts, EmbedOptions{Dimensions: dimensions})
		f.fails(err, StatusInvalidArgument, "")
	}
	stats, err := f.engine.Stats()
	f.must(err)
	f.equal(stats.SessionsOpen, 0)
}

// b32
func TestScore(t *testing.T) {
	f, sessions := newEmbedder(t, "RONDO_TEST_SCORER")
	sessions[0].Close()
	documents := []string{"a hill", "the sea", "her mom"}
	scores, err := f.engine.Score(ctx, "Where?", documents, ScoreOptions{})
	f.must(err)
	f.equal(len(scores) == 3 && scores[0] > 0 && scores[0] < 1 && scores[0] != scores[1], true)
	other, err := f.engine.Score(ctx, "Where?", documents, ScoreOptions{Instruction: "Find what is high"})
	f.must(err)
	f.equal(reflect.DeepEqual(scores, other), false)
}
