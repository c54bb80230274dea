// Package statspage shows the statistics of a log as one file of HTML that needs
// no network.
package statspage

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/agentsentinel/sentinel/internal/digest"
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
		"{{policy}}", "default-src 'none'; style-src '"+digest.CSP(style)+"'; script-src '"+digest.CSP(script)+"'; base-uri 'none'; form-action 'none'",
		"{{style}}", style, "{{script}}", script, "{{data}}", safe.String(),
	).WriteString(w, page)
	return err
}
