// Continues a text: go run ./example model.rondo "Once upon a time"
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"rondo"
)

// shown from here
func tell(ctx context.Context, path, prompt string) error {
	model, err := rondo.Open(path)
	if err != nil {
		return err
	}
	defer model.Close()
	engine, err := model.Engine(ctx, rondo.EngineOptions{})
	if err != nil {
		return err
	}
	defer engine.Close()
	session, err := engine.Session(rondo.SessionOptions{MaxTokens: 64})
	if err != nil {
		return err
	}
	defer session.Close()
	stream := session.Stream(ctx, prompt) // or session.Generate(ctx, prompt): all of it
	for stream.Next() {
		fmt.Print(stream.Event().Text)
	}
	return stream.Err()
}

// shown to here

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: example MODEL PROMPT")
	}
	if err := tell(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
	fmt.Println()
}
