// Answers a question about a picture: go run ./example/picture model.rondo photo.jpg
package main

import (
	"context"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"log"
	"os"

	"rondo"
)

// shown from here
func answer(ctx context.Context, model *rondo.Model, picture image.Image) {
	size := picture.Bounds().Size()
	plan, err := model.ImagePlan(size.X, size.Y, rondo.ImageOptions{})
	must(err)
	engine, err := model.Engine(ctx, rondo.EngineOptions{MaxMediaRows: plan.Rows})
	must(err)
	media, err := engine.Media(ctx, rondo.ImageOf(picture), rondo.ImageOptions{})
	must(err)
	session, err := engine.Session(rondo.SessionOptions{MaxTokens: 64})
	must(err)
	ids, err := model.ChatIDs(rondo.Chat{Messages: []rondo.Message{{Role: "user", Content: []any{
		map[string]string{"type": "image"},
		map[string]string{"type": "text", "text": "What is in the picture?"}}}}})
	must(err)
	must(session.AppendMedia(ids, media)) // or Chat.Media, for a whole reply
	stream := session.Continue(ctx)
	for stream.Next() {
		fmt.Print(stream.Event().Text)
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
	file, err := os.Open(os.Args[2])
	must(err)
	picture, _, err := image.Decode(file)
	must(err)
	model, err := rondo.Open(os.Args[1])
	must(err)
	answer(context.Background(), model, picture)
	fmt.Println()
}
