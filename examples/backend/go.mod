module github.com/agentsentinel/sentinel/examples/backend

go 1.25.0

require (
	github.com/agentsentinel/sentinel v0.0.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/agnivade/levenshtein v1.1.1 // indirect
	github.com/bluekeyes/go-gitdiff v0.9.0 // indirect
	github.com/expr-lang/expr v1.17.8 // indirect
	github.com/gobwas/glob v1.1.0 // indirect
	github.com/google/renameio/v2 v2.0.2 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	github.com/spf13/cobra v1.10.2 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	github.com/tidwall/gjson v1.14.2 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.0 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/sync v0.20.0 // indirect
	golang.org/x/sys v0.43.0 // indirect
	mvdan.cc/sh/v3 v3.13.0 // indirect
)

replace github.com/agentsentinel/sentinel => ../..
