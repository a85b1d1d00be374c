// Continues a text: go run ./example model.rondo "Once upon a time"
package main

import (
	"context"
	"fmt"
	"os"

	"rondo"
)

func run(path, prompt string) error {
	model, err := rondo.Open(path)
	if err != nil {
		return err
	}
	defer model.Close()
	engine, err := model.Engine(rondo.EngineOptions{})
	if err != nil {
		return err
	}
	defer engine.Close()
	session, err := engine.Session(rondo.SessionOptions{MaxTokens: 64})
	if err != nil {
		return err
	}
	defer session.Close()
	ids, err := model.Tokenize(prompt, true)
	if err != nil {
		return err
	}
	if err := session.Prefill(ids); err != nil {
		return err
	}
	return session.Stream(context.Background(), func(event rondo.Event) error {
		_, err := fmt.Print(event.Text)
		return err
	})
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: example MODEL PROMPT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println()
}
