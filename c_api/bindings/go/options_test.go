package rondo

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// b09, b10
func TestPlanOfMemory(t *testing.T) {
	f := newFixture(t)
	options := EngineOptions{Context: 128, MaxSessions: 2}
	plan, err := f.model.Plan(options)
	f.must(err)
	engine, err := f.model.Engine(ctx, options)
	f.must(err)
	defer engine.Close()
	memory, err := engine.Memory()
	f.must(err)
	f.equal(memory.ArenaBytes, plan.ArenaBytes)
	fit, err := f.model.PlanFit(plan.ArenaBytes, EngineOptions{MaxSessions: 2})
	f.must(err)
	plan, err = f.model.Plan(EngineOptions{Context: fit, MaxSessions: 2})
	f.must(err)
	f.equal(plan.ArenaBytes <= memory.ArenaBytes && fit >= 128, true)
	_, err = f.model.PlanFit(1, EngineOptions{})
	f.fails(err, StatusArenaTooSmall, "")
}

// b07, b11, b12, b13, b28: what Go's compiler refuses, by its name.
func TestWhatDoesNotCompile(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go here")
	}
	output, err := exec.Command("go", "build", "-o", os.DevNull, "./testdata/refused").CombinedOutput()
	if err == nil {
		t.Fatal("it compiles")
	}
	source, err := os.ReadFile(filepath.Join("testdata", "refused", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	wanted := 0
	for _, line := range strings.Split(string(source), "\n") {
		if _, words, ok := strings.Cut(line, "// refused: "); ok {
			wanted++
			if !strings.Contains(string(output), words) {
				t.Errorf("the compiler does not say %q:\n%s", words, output)
			}
		}
	}
	if wanted < 6 {
		t.Fatal("nothing was tried")
	}
}

// b13: what C's field cannot hold.
func TestNumbersOutOfRange(t *testing.T) {
	f := newFixture(t)
	for _, wrong := range []int{1<<32 + 512, -1, math.MinInt64, math.MaxInt64} {
		_, err := f.model.Engine(ctx, EngineOptions{Context: wrong})
		f.fails(err, StatusInvalidArgument, "Context is ")
		_, err = f.model.Engine(ctx, EngineOptions{CPUs: []int{wrong}})
		f.fails(err, StatusInvalidArgument, "CPUs")
		_, err = f.engine.Session(SessionOptions{TopK: Int(wrong)})
		f.fails(err, StatusInvalidArgument, "TopK")
	}
	_, err := f.engine.Session(SessionOptions{MaxTokens: -1})
	f.fails(err, StatusInvalidArgument, "MaxTokens is -1")
	_, err = f.model.Grammar(map[string]any{}, GrammarOptions{MemoryBytes: -1})
	f.fails(err, StatusInvalidArgument, "MemoryBytes")
	for _, wrong := range []float64{math.NaN(), math.Inf(1), 1e300, -1e300} {
		_, err := f.engine.Session(SessionOptions{Temperature: Float(wrong)})
		f.fails(err, StatusInvalidArgument, "Temperature")
		_, err = f.engine.Session(SessionOptions{PresencePenalty: wrong})
		f.fails(err, StatusInvalidArgument, "PresencePenalty")
	}
	_, err = f.engine.Session(SessionOptions{LogitBias: map[int32]float32{7: float32(math.NaN())}})
	f.fails(err, StatusInvalidArgument, "")
	_, err = f.engine.Session(SessionOptions{LogitBias: map[int32]float32{-7: 1}})
	f.fails(err, StatusInvalidArgument, "")
	for _, wrong := range []int{-1, 1 << 40} {
		_, err = f.engine.MemoryRegion(wrong)
		f.fails(err, StatusInvalidArgument, "")
		_, err = f.model.ImagePlan(wrong, 5, ImageOptions{})
		f.fails(err, StatusInvalidArgument, "")
	}
}

// b14
func TestNamesInSentences(t *testing.T) {
	f := newFixture(t)
	_, err := f.model.Engine(ctx, EngineOptions{MaxRows: 50000})
	f.fails(err, StatusInvalidArgument, "MaxRows")
	_, err = f.model.Engine(ctx, EngineOptions{Context: 1 << 30})
	f.fails(err, StatusInvalidArgument, "Context")
	_, err = f.engine.Session(SessionOptions{TopP: Float(2)})
	f.fails(err, StatusInvalidArgument, "TopP")
	_, err = f.engine.Session(SessionOptions{Temperature: Float(-1)})
	f.fails(err, StatusInvalidArgument, "Temperature")
	_, err = f.engine.Session(SessionOptions{NoRepeatNgramSize: Int(1000)})
	f.fails(err, StatusInvalidArgument, "NoRepeatNgramSize")
	f.equal(inOurWords("limit.max_rows, max_rows_x and the context; option context"),
		"limit.max_rows, max_rows_x and the context; option Context")
}

// Each field is set alone, to what it may be; what needs another one brings that.
func (f *fixture) eachField(options reflect.Value, values map[string]any, try func(name string)) {
	f.Helper()
	for i := 0; i < options.NumField(); i++ {
		name := options.Type().Field(i).Name
		value, given := values[name]
		if !given {
			f.Fatalf("no value for %s", name)
		}
		field := options.Field(i)
		field.Set(reflect.ValueOf(value))
		try(name)
		field.Set(reflect.Zero(field.Type()))
	}
}

// b15
func TestEachEngineOption(t *testing.T) {
	f := newFixture(t)
	var options EngineOptions
	plain, err := f.model.Plan(options)
	f.must(err)
	var told Progress = func(done, total uint64) bool { return true }
	values := map[string]any{"Context": 64, "MaxSessions": 3, "MaxRows": 32, "Threads": 1, "ContextPolicy": PolicySlide,
		"SinkTokens": 64, "KVFormat": KVFloat32, "Kernels": "scalar", "KVTokens": 1024, "RowsPerStep": 16,
		"NoPrefixCache": true, "ProfileEvents": 100, "DutyPercent": 50, "DraftHead": true,
		"Affinity": AffinityPerformance, "AdapterRank": 8, "MaxInputRows": 8, "MaxMediaRows": 8,
		"Draft": f.model, "CPUs": []int{0}, "Progress": told}
	f.eachField(reflect.ValueOf(&options).Elem(), values, func(name string) {
		plan, err := f.model.Plan(options)
		switch name {
		case "DraftHead", "MaxMediaRows": // of other models
			f.equal(err != nil, true)
		case "SinkTokens": // under PolicySlide alone
			f.equal(err != nil, true)
			options.ContextPolicy = PolicySlide
			plan, err = f.model.Plan(options)
			f.must(err)
			f.equal(plan.SinkTokens, 64)
			options.ContextPolicy = PolicyStop
		default:
			f.must(err)
		}
		switch name {
		case "Context", "MaxSessions", "MaxRows", "KVFormat", "KVTokens", "RowsPerStep", "ProfileEvents", "AdapterRank",
			"MaxInputRows", "Draft":
			if plan == plain {
				f.Fatalf("%s changes nothing", name)
			}
		}
	})
	f.equal(len(optionNames) > 40, true)
}

// b16
func TestEachSessionOption(t *testing.T) {
	f := newFixture(t)
	grammar, err := f.model.PatternGrammar("[ab]+", GrammarOptions{})
	f.must(err)
	adapter, err := f.model.Adapter(os.Getenv("RONDO_TEST_ADAPTER"))
	f.must(err)
	f.engine, err = f.model.Engine(ctx, EngineOptions{AdapterRank: 4, MaxSessions: 2, Draft: f.model})
	f.must(err)
	var options SessionOptions
	values := map[string]any{"LibraryDefaults": true, "Temperature": Float(0.5), "TopK": Int(5), "TopP": Float(0.5),
		"MinP": Float(0.1), "RepetitionPenalty": Float(1.1), "PresencePenalty": 0.1, "FrequencyPenalty": 0.1,
		"PenaltyLastN": Int(0), "IgnoreEOS": true, "LogProbs": true, "NoRepeatNgramSize": Int(3), "Seed": uint64(math.MaxUint64),
		"MaxTokens": 5, "Speculation": SpeculationDraftModel, "MaxDrafts": 2, "GrammarBegin": GrammarBeginAfterToken,
		"GrammarToken": int32(5), "GrammarGoesOn": true, "Thinking": true, "ThinkingBegin": "<t>", "ThinkingEnd": "</t>",
		"ThinkingTokens": 5, "Stop": []string{"x"}, "LogitBias": map[int32]float32{5: 1}, "Grammar": grammar,
		"JSONSchema": true, "Adapter": adapter}
	f.eachField(reflect.ValueOf(&options).Elem(), values, func(name string) {
		with := options
		switch {
		case name == "GrammarBegin" || name == "GrammarToken" || name == "GrammarGoesOn":
			with.Grammar, with.GrammarBegin = grammar, GrammarBeginAfterToken
		case strings.HasPrefix(name, "Thinking"):
			with.Thinking, with.ThinkingBegin, with.ThinkingEnd = true, "<t>", "</t>"
		}
		session, err := f.engine.Session(with)
		if err != nil {
			f.Fatalf("%s: %v", name, err)
		}
		session.Close()
	})
}

// b17
func TestSamplingOfTheMakers(t *testing.T) {
	f := newFixture(t)
	model, err := Open(os.Getenv("RONDO_TEST_RECOMMENDING"))
	f.must(err)
	f.engine, err = model.Engine(ctx, EngineOptions{MaxSessions: 2})
	f.must(err)
	usual := f.generate(f.session(SessionOptions{MaxTokens: 16}), f.ids)
	f.equal(usual != f.text, true)
	f.equal(f.generate(f.session(SessionOptions{MaxTokens: 16, LibraryDefaults: true}), f.ids), f.text)
}

// b18
func TestDrafts(t *testing.T) {
	f := newFixture(t)
	engine, err := f.model.Engine(ctx, EngineOptions{Context: 256, Draft: f.model})
	f.must(err)
	session, err := engine.Session(SessionOptions{MaxTokens: 16, Speculation: SpeculationDraftModel})
	f.must(err)
	text, err := session.Generate(ctx, prompt)
	f.must(err)
	f.equal(text, f.text)
}
