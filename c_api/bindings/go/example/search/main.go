// Which text is nearest to a question: go run ./example/search embedder.rondo "question" "text"...
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"rondo"
)

// shown from here
func nearest(engine *rondo.Engine, question string, texts []string) (best int) {
	ctx := context.Background()
	asked, err := engine.Embed(ctx, []string{question}, rondo.EmbedOptions{Prompt: "query"})
	must(err)
	found, err := engine.Embed(ctx, texts, rondo.EmbedOptions{Prompt: "document"})
	must(err)
	highest := float32(-1)
	for i, vector := range found {
		similar := float32(0)
		for j, x := range vector {
			similar += x * asked[0][j]
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
		log.Fatal(err)
	}
}

func main() {
	model, err := rondo.Open(os.Args[1])
	must(err)
	engine, err := model.Engine(context.Background(), rondo.EngineOptions{MaxSessions: 4})
	must(err)
	fmt.Println(os.Args[3:][nearest(engine, os.Args[2], os.Args[3:])])
}
