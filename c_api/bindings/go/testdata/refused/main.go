// What the compiler refuses, and with which words: options_test.go.
package main

import "rondo"

func main() {
	_, _ = rondo.Open(5)                           // refused: cannot use 5
	_, _ = rondo.Open(nil)                         // refused: cannot use nil
	_ = rondo.EngineOptions{NoSuchOption: 1}       // refused: NoSuchOption
	_ = rondo.Chat{NoSuchWish: true}               // refused: NoSuchWish
	_ = rondo.EngineOptions{Context: "512"}        // refused: "512"
	_ = rondo.EngineOptions{Kernels: 512}          // refused: cannot use 512
	_ = rondo.SessionOptions{TopK: rondo.Int(1.5)} // refused: 1.5
	_ = rondo.SessionOptions{Stop: "mom"}          // refused: "mom"
}
