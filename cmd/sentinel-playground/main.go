//go:build js && wasm

// Command sentinel-playground is the engine for a web page: it sets the JavaScript
// functions sentinelInfo and sentinelAnswer, which take and return texts. Package
// playground has the form of these. Before it starts, sentinelRules has to be a
// Uint8Array with the compiled rules.
package main

import (
	"context"
	"runtime/debug"
	"syscall/js"

	"github.com/agentsentinel/sentinel/internal/playground"
)

func main() {
	debug.SetGCPercent(400) // a page lives for a few requests
	from := js.Global().Get("sentinelRules")
	compiled := make([]byte, from.Get("byteLength").Int())
	js.CopyBytesToGo(compiled, from)
	p, err := playground.New(compiled)
	if err != nil {
		panic(err)
	}
	js.Global().Set("sentinelInfo", js.FuncOf(func(js.Value, []js.Value) any {
		info, err := playground.Info()
		if err != nil {
			return err.Error() // cannot happen: the rules are part of the program
		}
		return string(info)
	}))
	js.Global().Set("sentinelAnswer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return js.Global().Get("Promise").New(js.FuncOf(func(_ js.Value, settle []js.Value) any {
			go settle[0].Invoke(string(p.Answer(context.Background(), []byte(args[0].String()))))
			return nil
		}))
	}))
	js.Global().Call("sentinelReady")
	select {}
}
