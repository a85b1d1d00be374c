package rondo

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

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

// b30
func TestGrammar(t *testing.T) {
	f := newFixture(t)
	text := func(options SessionOptions) string {
		options.Temperature, options.Seed = Float(1), 7
		session := f.session(options)
		f.must(session.Prefill(ctx, f.ids))
		text, reason := "", ReasonNone
		f.each(session, func(event Event) {
			text, reason = text+event.Text, event.Reason
		})
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
	session := f.session(SessionOptions{Grammar: grammar, Temperature: Float(1), Seed: 7})
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
	f.must(session.Prefill(ctx, f.ids))
	event, err := session.Next(ctx)
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
		options.MaxTokens, options.Temperature, options.Seed = 32, Float(1), 3
		session := f.session(options)
		f.must(session.Prefill(ctx, ids))
		f.each(session, func(event Event) {
			channels = append(channels, event.Channel)
		})
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
