package rubric

import "github.com/agentsentinel/sentinel/internal/audit"

// Named is the file with which a repository says that it was made for the rubric
// agent-graph. No other can be named so: a repository does not choose what is easiest.
const Named = ".claude/sentinel/audit-rubric"

// Survey returns the probes whose facts [Choose] asks for: what a repository says
// of its rubric. It is run as any rubric is, and its evidence is given to [Found];
// it belongs to no criterion and into no report.
func Survey() *Rubric {
	one := 1.0
	return &Rubric{Metadata: Metadata{Name: "Survey", Version: "4.0.0", Scale: audit.Scale{1, 5}}, Synthesis: defaultSynthesis(), Source: embeddedPrefix + "survey",
		Probes: []Probe{{ID: surveyNamed, Type: TypeText, File: "./" + Named, Regex: `^agent-graph\s*$`, Expect: Expect{"count": {Min: &one}}}}}
}

const surveyNamed = "survey.named"

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
// the repository says so; documents where nearly all of it is prose; else that of
// the language with the most code, or general.
//
// languages holds bytes by language; found reports whether a probe of [Survey]
// found what it looked for, and nil looks at the languages alone.
func Choose(languages map[string]int64, found func(probe string) bool) *Rubric {
	named := found != nil && found(surveyNamed)
	r, err := Embedded(chosen(languages, named))
	if err != nil {
		panic(err) // a test reads all embedded rubrics
	}
	if named {
		r.Source += ", as " + Named + " says"
	}
	return r
}

func chosen(languages map[string]int64, named bool) string {
	if named {
		return "agent-graph"
	}
	code, prose, total := map[string]int64{}, int64(0), int64(0)
	for lang, bytes := range languages {
		if lang != "svg" && lang != "xml" && lang != "" { // a picture is as large as a book
			total += bytes
		}
		switch {
		case isCode(lang):
			code[rubricFor(lang)] += bytes
			code[""] += bytes
		case lang == "markdown", lang == "text", lang == "html":
			prose += bytes
		}
	}
	if prose*2 > total && code[""]*20 < prose {
		return "documents"
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
