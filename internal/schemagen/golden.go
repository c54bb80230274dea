package schemagen

import (
	"bytes"
	"os"
	"testing"
)

// Golden fails the test when the file is not what was generated, or writes it
// when update is set.
func Golden(t *testing.T, file string, generated []byte, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(file, generated, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// A checkout on Windows may have turned line ends.
	if !bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), generated) {
		t.Errorf("%s is stale: run go generate in this folder", file)
	}
}
