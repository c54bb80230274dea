package rubric

import "github.com/agentsentinel/sentinel/internal/audit"

// graphLibraries are imports that make a repository one of agent graphs, by
// language.
func graphLibraries() []struct{ lang, module string } {
	return []struct{ lang, module string }{
		{"python", "langgraph"},
		{"python", "pydantic_graph"},
		{"typescript", "@langchain/langgraph"},
		{"tsx", "@langchain/langgraph"},
		{"javascript", "@langchain/langgraph"},
		{"go", "github.com/tmc/langgraphgo"},
		{"go", "github.com/cloudwego/eino/compose"},
	}
}

// Survey returns the probes whose facts [Choose] asks for: which graph libraries
// a repository imports. It is run as any rubric is, and its evidence is given to
// [Found]; it belongs to no criterion and into no report.
func Survey() *Rubric {
	one := 1.0
	r := &Rubric{Metadata: Metadata{Name: "Survey", Version: "4.0.0", Scale: []int{1, 5}}, Synthesis: defaultSynthesis(), Source: embeddedPrefix + "survey"}
	for _, l := range graphLibraries() {
		r.Probes = append(r.Probes, Probe{ID: surveyProbe(l.lang, l.module), Type: TypeAST, Lang: l.lang, Imports: l.module,
			Expect: Expect{"count": {Min: &one}}})
	}
	return r
}

func surveyProbe(lang, module string) string { return "survey." + lang + "." + module }

// Found returns a function that reports whether the probe of an id found what it
// looked for, by its own evidence: what [Choose] asks of [Survey].
func Found(evidence []audit.Evidence) func(probe string) bool {
	found := map[string]bool{}
	for i := range evidence {
		if e := &evidence[i]; !e.Part && e.Outcome == audit.True {
			found[e.Probe] = true
		}
	}
	return func(probe string) bool { return found[probe] }
}

// Choose returns the embedded rubric for what a repository is: agent-graph where
// a graph library is imported in a language that makes up a tenth of the code or
// more, else that of the language with the most code, else general.
//
// languages holds bytes by language; found reports whether a probe of [Survey]
// found what it looked for, and nil looks at the languages alone.
func Choose(languages map[string]int64, found func(probe string) bool) *Rubric {
	r, err := Embedded(chosen(languages, found))
	if err != nil {
		panic(err) // a test reads all embedded rubrics
	}
	return r
}

func chosen(languages map[string]int64, found func(probe string) bool) string {
	code, total := map[string]int64{}, int64(0)
	for lang, bytes := range languages {
		if !isCode(lang) {
			continue
		}
		total += bytes
		code[rubricFor(lang)] += bytes
	}
	for _, l := range graphLibraries() {
		if found != nil && code[rubricFor(l.lang)]*10 >= max(total, 1) && found(surveyProbe(l.lang, l.module)) {
			return "agent-graph"
		}
	}
	most := "general"
	for _, name := range []string{"go", "python", "typescript", "rust"} {
		if code[name] > code[most] {
			most = name
		}
	}
	return most
}

// rubricFor returns the rubric of a language.
func rubricFor(lang string) string {
	switch lang {
	case "go", "python", "rust":
		return lang
	case "typescript", "tsx", "javascript":
		return "typescript"
	}
	return "general"
}

// isCode reports whether files of the language are programs: prose and data say
// nothing about what a repository is.
func isCode(lang string) bool {
	switch lang {
	case "", "markdown", "text", "html", "css", "xml", "json", "yaml", "toml", "sql", "dockerfile", "makefile":
		return false
	}
	return true
}
