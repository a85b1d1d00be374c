// Which text is nearest to a question: go run ./example/search embedder.rondo "question" "text"...
package main

import (
	"fmt"
	"os"

	"rondo"
)

// shown from here
func nearest(model *rondo.Model, engine *rondo.Engine, question string, texts []string) int {
	read := func(prompt, text string) []int32 {
		whole, err := model.EmbeddingTextFor(prompt, text)
		must(err)
		ids, err := model.Tokenize(whole, true)
		must(err)
		return ids
	}
	session, err := engine.Session(rondo.SessionOptions{})
	must(err)
	asked, err := session.Embed(read("query", question), 0)
	must(err)
	documents := [][]int32{}
	for _, text := range texts {
		documents = append(documents, read("document", text))
	}
	found, err := engine.Embed([]*rondo.Session{session}, documents, 0)
	must(err)
	best, highest := 0, float32(-1)
	for i, vector := range found {
		similar := float32(0)
		for j, x := range vector {
			similar += x * asked[j]
		}
		if similar > highest {
			best, highest = i, similar
		}
	}
	return best
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
	engine, err := model.Engine(rondo.EngineOptions{})
	must(err)
	fmt.Println(os.Args[3:][nearest(model, engine, os.Args[2], os.Args[3:])])
}
