// Command post sends standard input to a URL and reads the answer: the least that
// a program which asks a model by HTTP can cost.
//
// usage: post URL
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "post:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("want one URL")
	}
	resp, err := http.Post(args[0], "application/json", os.Stdin)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
