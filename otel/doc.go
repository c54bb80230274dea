// Package otel exports what Sentinel decided to OpenTelemetry: a trace of each call
// that rules were about, and metrics of decisions, rules and model calls. Names
// are those of the semantic conventions for generative AI where they have one,
// and begin with "sentinel." where they do not; docs/opentelemetry.md lists all.
//
// A harness that has an engine of its own wraps it:
//
//	recorder, err := otel.NewRecorder(nil) // the global providers
//	…
//	engine = recorder.Engine(engine)
//
// The command with an exporter built in is cmd/sentinel-otel.
//
// Nothing that an agent works on leaves by default: no prompt, command, path,
// content or answer. [Options.Details] adds targets and reasons, with secrets
// masked.
//
// It is a module of its own, so that importers of Sentinel do not get OpenTelemetry
// with it.
package otel
