// A model calls a function and answers with what it gave: go run ./example/tools model.rondo
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"rondo"
)

// shown from here
func answer(model *rondo.Model, engine *rondo.Engine) {
	const question = `{"role": "user", "content": "How is the weather in Rome?"}`
	chat := rondo.Chat{Messages: json.RawMessage("[" + question + "]"), Tools: json.RawMessage(`[
		{"type": "function", "function": {"name": "weather", "parameters": {"type": "object",
		"properties": {"city": {"type": "string", "maxLength": 30}}, "required": ["city"],
		"additionalProperties": false}}}]`)}
	rules, err := model.ChatGrammar(chat, rondo.CallsOne, "")
	must(err)
	grammar, err := model.RulesGrammar(rules, rondo.GrammarOptions{})
	must(err)
	calling, err := engine.Session(rondo.SessionOptions{Grammar: grammar})
	must(err)
	calling.ChatParts(context.Background(), chat)(func(part rondo.ChatPart, err error) bool {
		must(err)
		if part.Kind == rondo.ChatPartCallEnd {
			chat.Messages = json.RawMessage(fmt.Sprintf(`[%s, {"role": "assistant", "content": "", "tool_calls": [
				{"type": "function", "function": {"name": %q, "arguments": %s}}]},
				{"role": "tool", "content": "{\"sky\": \"clear\"}"}]`, question, part.Name, part.Arguments))
		}
		return true
	})
	answering, err := engine.Session(rondo.SessionOptions{MaxTokens: 64})
	must(err)
	answering.ChatParts(context.Background(), chat)(func(part rondo.ChatPart, err error) bool {
		must(err)
		fmt.Print(part.Text)
		return true
	})
}

// shown to here

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	model, err := rondo.Open(os.Args[1])
	must(err)
	engine, err := model.Engine(rondo.EngineOptions{MaxSessions: 2})
	must(err)
	answer(model, engine)
	fmt.Println()
}
