package rondo

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestFacts(t *testing.T) {
	f := newFixture(t)
	info, err := f.model.Info()
	f.must(err)
	f.equal(info.VocabSize, 2048)
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
	f.equal(region.Segment, SegmentWeights)
	fit, err := f.model.PlanFit(plan.ArenaBytes, EngineOptions{MaxSessions: 4})
	f.must(err)
	f.equal(fit >= 256, true)
}

func TestStream(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{MaxTokens: 16, LogProbs: true})
	f.must(session.Prefill(ctx, f.ids))
	all, text, reason := f.ids, "", ReasonNone
	f.each(session, func(event Event) {
		all, reason = append(all, event.Token), event.Reason
		text += event.Text
		f.equal(event.LogProb < 0, true)
	})
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

func TestInputs(t *testing.T) {
	f := newFixture(t)
	info, err := f.model.Info()
	f.must(err)
	n := int(info.HiddenSize)
	rows := Input{Rows: make([]float32, 2*n)}
	halves := Input{BFloat16: make([]uint16, 3*n), SeesWhole: true,
		Coordinates: [][3]int32{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}}}
	none := f.session(SessionOptions{})
	f.fails(none.AppendInputs(rows), StatusInvalidArgument, "MaxInputRows is 0")
	f.engine, err = f.model.Engine(ctx, EngineOptions{Context: 256, MaxInputRows: 8})
	f.must(err)
	session := f.session(SessionOptions{})
	f.must(session.AppendInputs(Input{IDs: f.ids}, rows, halves))
	tokens, err := session.Tokens()
	f.must(err)
	f.equal(tokens, append(append([]int32{}, f.ids...), -1, -1, -1, -1, -1))
	logits, err := session.Logits(ctx)
	f.must(err)
	f.equal(len(logits), 2048)
	f.must(session.AppendInputs(Input{IDs: []int32{3}}))
	event, err := session.Next(ctx)
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
		{Input{Rows: make([]float32, 9*n)}, "MaxInputRows is 8"},
		{Input{}, "no tokens"},
		{Input{IDs: f.ids, SeesWhole: true}, "SeesWhole"},
	} {
		f.fails(session.AppendInputs(Input{IDs: f.ids}, wrong.input), StatusInvalidArgument, wrong.words)
	}
	f.fails(session.AppendInputs(), StatusInvalidArgument, "0 inputs")
	position, err := session.Position()
	f.must(err)
	f.equal(position, uint64(len(f.ids)+7))
}

// b34
func TestAdapter(t *testing.T) {
	f := newFixture(t)
	adapter, err := f.model.Adapter(os.Getenv("RONDO_TEST_ADAPTER"))
	f.must(err)
	info, err := adapter.Info()
	f.must(err)
	f.equal(info.Rank, 4)
	_, err = f.engine.Session(SessionOptions{Adapter: adapter})
	f.fails(err, StatusInvalidArgument, "AdapterRank is 0")
	f.engine, err = f.model.Engine(ctx, EngineOptions{Context: 256, MaxSessions: 4, AdapterRank: 4})
	f.must(err)
	f.equal(f.generate(f.session(SessionOptions{MaxTokens: 16}), f.ids), f.text)
	session := f.session(SessionOptions{MaxTokens: 16, Adapter: adapter})
	adapter.Close() // the session goes on
	adapter.Close()
	f.must(session.Prefill(ctx, f.ids))
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

func TestCPUs(t *testing.T) {
	f := newFixture(t)
	state, err := os.ReadFile("/proc/self/status")
	f.must(err)
	allowed := regexp.MustCompile(`Cpus_allowed_list:\s*(\d+)`).FindSubmatch(state)
	cpu, err := strconv.Atoi(string(allowed[1]))
	f.must(err)
	options := EngineOptions{Context: 64, Threads: 2, CPUs: []int{cpu}}
	engine, err := f.model.Engine(ctx, options)
	f.must(err)
	defer engine.Close()
	memory, err := engine.Memory()
	f.must(err)
	f.equal(memory.Threads, 2)
	session, err := engine.Session(SessionOptions{MaxTokens: 16})
	f.must(err)
	f.equal(f.generate(session, f.ids), f.text)
	options.Threads = 0
	plan, err := f.model.Plan(options)
	f.must(err)
	f.equal(plan.Threads, 1)
	_, err = f.model.Engine(ctx, EngineOptions{Context: 64, Affinity: AffinityCPUs, CPUs: []int{1023}})
	f.fails(err, StatusInvalidArgument, "1023")
}

func TestRecommended(t *testing.T) {
	f := newFixture(t)
	model, err := Open(os.Getenv("RONDO_TEST_RECOMMENDING"))
	f.must(err)
	engine, err := model.Engine(ctx, EngineOptions{Context: 256, MaxSessions: 4})
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
	f.equal(text(SessionOptions{Temperature: Float(1.5), TopK: Int(50)}), recommended)
	f.equal(text(SessionOptions{Temperature: Float(0)}), " lovely and bright. Lily ran down the ")
	f.equal(text(SessionOptions{LibraryDefaults: true}), f.text)
	greedy, err := engine.Session(SessionOptions{LibraryDefaults: true})
	f.must(err)
	f.must(greedy.Prefill(ctx, f.ids))
	fork, err := greedy.Fork(SessionOptions{MaxTokens: 16})
	f.must(err)
	f.equal(f.generate(fork, nil), recommended)
}

func TestLogits(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{})
	var last float32
	f.fails(session.PrefillLogits(ctx, f.ids, nil), StatusInvalidArgument, "row is nil")
	f.must(session.PrefillLogits(ctx, f.ids, func(_ int, logits []float32) { last = logits[7] }))
	logits, err := session.Logits(ctx)
	f.must(err)
	f.equal(len(logits), 2048)
	f.equal(logits[7], last)
	best := int32(0)
	for i, logit := range logits {
		if logit > logits[best] {
			best = int32(i)
		}
	}
	event, err := session.Next(ctx)
	f.must(err)
	f.equal(event.Token, best)
	f.must(session.Undo(1))
	f.must(session.Accept(best))
	position, err := session.Position()
	f.must(err)
	f.equal(position, uint64(len(f.ids)+1))
	f.must(session.Reset())
}

// b49
func TestFork(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{})
	f.must(session.Prefill(ctx, f.ids))
	fork, err := session.Fork(SessionOptions{MaxTokens: 16})
	f.must(err)
	event, err := fork.Next(ctx)
	f.must(err)
	f.must(fork.Undo(1))
	other, err := session.Fork(SessionOptions{MaxTokens: 16, LogitBias: map[int32]float32{event.Token: -1e9}})
	f.must(err)
	f.equal(f.generate(fork, nil), f.text)
	f.equal(f.generate(other, nil) == f.text, false)
}

// b50
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
		f.must(f.engine.Step(ctx, running...))
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
	f.equal(stats.SessionsOpen, 3)
}

// b48
func TestSnapshot(t *testing.T) {
	f := newFixture(t)
	session := f.session(SessionOptions{MaxTokens: 16})
	f.must(session.Prefill(ctx, f.ids))
	begun := ""
	for i := 0; i < 6; i++ {
		event, err := session.Next(ctx)
		f.must(err)
		begun += event.Text
	}
	saved, err := session.Save()
	f.must(err)
	engine, err := f.model.Engine(ctx, EngineOptions{Context: 256})
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
	engine, err := f.model.Engine(ctx, EngineOptions{Context: 64, ProfileEvents: 1000, DutyPercent: 90})
	f.must(err)
	session, err := engine.Session(SessionOptions{MaxTokens: 4})
	f.must(err)
	f.must(session.Prefill(ctx, f.ids))
	_, err = session.Continue(ctx).Text()
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

func TestErrors(t *testing.T) {
	f := newFixture(t)
	_, err := Open("absent.rondo")
	f.fails(err, StatusIOError, "absent.rondo")
	_, err = f.model.Engine(ctx, EngineOptions{MaxRows: 50000})
	f.fails(err, StatusInvalidArgument, "MaxRows")
	_, err = f.model.Engine(ctx, EngineOptions{Progress: func(done, total uint64) bool { return false }})
	f.fails(err, StatusCancelled, "")
	session := f.session(SessionOptions{})
	f.fails(session.Prefill(ctx, []int32{2048}), StatusInvalidArgument, "2048")
	f.fails(session.Prefill(ctx, nil), StatusInvalidArgument, "")
	f.fails(session.Prefill(ctx, make([]int32, 257)), StatusContextFull, "")
	_, err = session.Next(ctx)
	f.fails(err, StatusNoLogits, "")
	session.Close()
	_, err = session.Next(ctx)
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
	f.must(session.Prefill(ctx, f.ids))
	var reasons []Reason
	var channels []Channel
	f.each(session, func(event Event) {
		reasons, channels = append(reasons, event.Reason), append(channels, event.Channel)
	})
	f.equal(reasons, []Reason{0, 0, 0, 1000})
	f.equal(channels, []Channel{0, 0, 0, 1000})
	parser, err := f.calling().ChatParser(Chat{Messages: []string{}})
	f.must(err)
	f.must(parser.Push([]byte("hi"), true))
	parts, err := parser.Parts()
	f.must(err)
	f.equal(parts, []ChatPart{{Kind: 1000, Text: "hi"}})
}
