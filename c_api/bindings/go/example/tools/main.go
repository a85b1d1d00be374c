// A model calls a function and answers with what it gave: go run ./example/tools model.rondo
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"rondo"
)

// shown from here
func answer(ctx context.Context, model *rondo.Model, engine *rondo.Engine) {
	messages := []rondo.Message{{Role: "user", Content: "How is the weather in Rome?"}}
	chat := rondo.Chat{Messages: messages, Tools: json.RawMessage(`[{"type": "function", "function": {
		"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string",
		"maxLength": 30}}, "required": ["city"], "additionalProperties": false}}}]`)}
	rules, err := model.ChatGrammar(chat, rondo.CallsOne, "") // what parses
	must(err)
	grammar, err := model.RulesGrammar(rules, rondo.GrammarOptions{})
	must(err)
	calling, err := engine.Session(rondo.SessionOptions{Grammar: grammar})
	must(err)
	reply, err := calling.Chat(ctx, chat)
	must(err)
	call := reply.Calls[0] // call.Name, call.Arguments

	chat.Messages = append(messages, reply.Message(),
		rondo.Message{Role: "tool", Name: call.Name, Content: `{"sky": "clear"}`})
	answering, err := engine.Session(rondo.SessionOptions{MaxTokens: 64})
	must(err)
	reply, err = answering.Chat(ctx, chat)
	must(err)
	fmt.Println(reply.Text)
}

// shown to here

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	model, err := rondo.Open(os.Args[1])
	must(err)
	engine, err := model.Engine(context.Background(), rondo.EngineOptions{MaxSessions: 2})
	must(err)
	answer(context.Background(), model, engine)
}
