// Answers a question about a picture: go run ./example/picture model.rondo photo.jpg
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"

	"rondo"
)

// shown from here
func answer(model *rondo.Model, picture image.Image) {
	size := picture.Bounds().Size()
	plan, err := model.ImagePlan(uint32(size.X), uint32(size.Y), rondo.ImageOptions{})
	must(err)
	engine, err := model.Engine(rondo.EngineOptions{MaxMediaRows: plan.Rows})
	must(err)
	media, err := engine.Media(context.Background(), rondo.ImageOf(picture), rondo.ImageOptions{})
	must(err)
	ids, err := model.ChatIDs(rondo.Chat{Messages: json.RawMessage(`[{"role": "user", "content": [
		{"type": "image"}, {"type": "text", "text": "What is in the picture?"}]}]`)})
	must(err)
	session, err := engine.Session(rondo.SessionOptions{MaxTokens: 64})
	must(err)
	must(session.AppendMedia(ids, media))
	must(session.Stream(context.Background(), func(event rondo.Event) error {
		_, err := fmt.Print(event.Text)
		return err
	}))
}

// shown to here

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	file, err := os.Open(os.Args[2])
	must(err)
	picture, _, err := image.Decode(file)
	must(err)
	model, err := rondo.Open(os.Args[1])
	must(err)
	answer(model, picture)
	fmt.Println()
}
