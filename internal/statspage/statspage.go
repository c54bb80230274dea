// Package statspage shows the statistics of a log as one file of HTML that needs
// no network.
package statspage

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

var (
	//go:embed page.html
	page string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Write writes the page. data is the object that `sentinel stats --json` prints. All
// text in it that comes from rules, agents and judges is data in the page, which the
// page's own script shows as text. The page's policy runs only this script and loads
// nothing.
//
// The error is that of w, or says that data is not a JSON object.
func Write(w io.Writer, data json.RawMessage) error {
	data = bytes.TrimSpace(data)
	if !json.Valid(data) || len(data) == 0 || data[0] != '{' {
		return errors.New("statspage: the data is no JSON object")
	}
	var safe bytes.Buffer
	json.HTMLEscape(&safe, data) // no text in it ends its script element
	_, err := strings.NewReplacer(
		"{{policy}}", "default-src 'none'; style-src '"+digest(style)+"'; script-src '"+digest(script)+"'; base-uri 'none'; form-action 'none'",
		"{{style}}", style, "{{script}}", script, "{{data}}", safe.String(),
	).WriteString(w, page)
	return err
}

// digest names an inline element in a content security policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
