package document

import (
	"cmp"
	"time"
)

// Defaults of [Options].
const (
	DefaultMaxBytes  = 100 << 20
	DefaultMaxPages  = 500
	DefaultMaxText   = 4 << 20
	DefaultMaxMemory = 512 << 20
	DefaultTimeout   = 2 * time.Minute
)

// Options bound the reading of documents. With nil, PDF cannot be read, because no
// program for it is named.
type Options struct {
	// Reader is the program, with arguments, that calls [ChildMain]: usually
	// this program itself (by its absolute path) with the argument __pdf. Without it a PDF is
	// NotAvailable: a program that does not know the argument is never started
	// by accident. Markdown is read in this process then, where a
	// hostile one can take long.
	Reader []string
	// Cache is a folder for compiled code, which is made if it is missing.
	// Without it every PDF costs some seconds more.
	Cache string
	// NoPictures leaves pages with diagrams unrendered, as when no vision model
	// will look at them.
	NoPictures bool

	MaxBytes  int64         // of a document; more is NotAvailable
	MaxPages  int           // of a PDF; more is NotAvailable
	MaxText   int           // bytes of text; of a PDF the rest is left out, and the evidence says so, other formats are NotAvailable
	MaxMemory int64         // bytes that the PDF reader may use
	Timeout   time.Duration // of reading one document
}

func (o *Options) orDefaults() Options {
	var all Options
	if o != nil {
		all = *o
	}
	all.MaxBytes = cmp.Or(max(all.MaxBytes, 0), DefaultMaxBytes)
	all.MaxPages = cmp.Or(max(all.MaxPages, 0), DefaultMaxPages)
	all.MaxText = cmp.Or(max(all.MaxText, 0), DefaultMaxText)
	all.MaxMemory = cmp.Or(max(all.MaxMemory, 0), DefaultMaxMemory)
	all.Timeout = cmp.Or(max(all.Timeout, 0), DefaultTimeout)
	return all
}
