// Asks a model with a chat template: go run ./example/chat model.rondo "How is the weather?"
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"rondo"
)

// shown from here
func chat(model *rondo.Model, question string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	engine, err := model.Engine(ctx, rondo.EngineOptions{})
	must(err)
	defer engine.Close()
	session, err := engine.Session(rondo.SessionOptions{MaxTokens: 64})
	must(err)
	defer session.Close()
	messages := []rondo.Message{{Role: "user", Content: question}}
	reply, err := session.Chat(ctx, rondo.Chat{Messages: messages})
	must(err)
	fmt.Println(reply.Text, reply.Reason)

	messages = append(messages, reply.Message(), rondo.Message{Role: "user", Content: "Why?"})
	stream := session.ChatStream(ctx, rondo.Chat{Messages: messages})
	for stream.Next() {
		fmt.Print(stream.Part().Text)
	}
	must(stream.Err())
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
	defer model.Close()
	chat(model, os.Args[2])
	fmt.Println()
}
