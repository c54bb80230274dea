// Command sentinel-otel is the sentinel command with an exporter built in: what
// the hook decides is sent to a collector of OpenTelemetry by OTLP, behind the
// answer. The collector is named by the OTEL_* variables, see
// docs/opentelemetry.md.
package main

import (
	"os"

	"github.com/agentsentinel/sentinel/otel/internal/pipeline"
	"github.com/agentsentinel/sentinel/sentinelcmd"
)

func main() { os.Exit(sentinelcmd.Main(&sentinelcmd.Config{Observe: pipeline.New(os.Getenv)})) }
