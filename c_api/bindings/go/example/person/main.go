// A text that is a struct's JSON: go run ./example/person model.rondo
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
func person(session *rondo.Session, prompt string) (one struct {
	Name string
	Age  int
}) {
	text, err := session.Generate(context.Background(), prompt)
	must(err)
	must(json.Unmarshal([]byte(text), &one))
	return one
}

var options = rondo.SessionOptions{JSONSchema: json.RawMessage(`{"type": "object", "properties": {
	"name": {"type": "string", "maxLength": 12}, "age": {"type": "integer", "minimum": 0, "maximum": 130}},
	"required": ["name", "age"]}`)}

// shown to here

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	model, err := rondo.Open(os.Args[1])
	must(err)
	engine, err := model.Engine(context.Background(), rondo.EngineOptions{})
	must(err)
	session, err := engine.Session(options)
	must(err)
	fmt.Println(person(session, "A person: "))
}
