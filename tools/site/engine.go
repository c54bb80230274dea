package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	sentinel "github.com/agentsentinel/sentinel/internal/playground"
)

// maxEngine bounds what a browser loads for the playground, compressed, in bytes.
const maxEngine = 5_000_000

// engine writes what the playground loads: the compressed program, the rules, and the
// script of the worker that runs it. It returns the size of the program.
func engine(root, out string) (size int, err error) {
	tmp, err := os.MkdirTemp("", "site-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(tmp)
	wasm := filepath.Join(tmp, "engine.wasm")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", wasm, "./cmd/sentinel-playground")
	build.Dir, build.Stderr = root, os.Stderr
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if err := build.Run(); err != nil {
		return 0, fmt.Errorf("the playground's engine cannot be compiled: %w", err)
	}
	err = save(out, "engine.bin", func() ([]byte, error) {
		data, err := os.ReadFile(wasm)
		data = compressed(data)
		size = len(data)
		return data, err
	})
	if err == nil && size > maxEngine {
		err = fmt.Errorf("the playground's engine has %d bytes, compressed: more than %d. What did it begin to link? GOOS=js GOARCH=wasm go list -deps ./cmd/sentinel-playground", size, maxEngine)
	}
	if err == nil {
		err = save(out, "rules.bin", sentinel.Compile)
	}
	if err == nil {
		err = save(out, "engine.js", worker)
	}
	return size, err
}

// compressed does not name a file or a time, so that it is the same at any time.
func compressed(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer takes everything, and the level is one of the package
	}
	return b.Bytes()
}

// worker is the script of the worker: Go's own, which runs its programs, and ours.
func worker() ([]byte, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	lib, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, err
	}
	ours, err := assets.ReadFile("assets/worker.js")
	return append(append(lib, '\n'), ours...), err
}
