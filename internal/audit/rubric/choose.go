package rubric

import "slices"

// Choose returns the embedded rubric for what a repository is: documents where nearly all of
// it is prose; else that of the language with the most code, or general. No file of the
// repository has a say: it would choose the rubric that asks for least. languages holds bytes
// by language.
func Choose(languages map[string]int64) *Rubric {
	r, err := Embedded(chosen(languages))
	if err != nil {
		panic(err) // a test reads all embedded rubrics
	}
	return r
}

// Reads reports whether a probe of the rubric looks into code of the language.
func (r *Rubric) Reads(lang string) bool {
	return slices.ContainsFunc(r.Probes, func(p Probe) bool {
		ofTrees := p.Type == TypeAST || p.Type == TypeGraph || p.Type == TypeOverlap
		switch {
		case !ofTrees:
			return false
		case p.Lang == "":
			return len(p.Files.Include) == 0 && lang != "rust"
		}
		return p.Lang == lang || p.Lang == "typescript" && lang == "tsx"
	})
}

func chosen(languages map[string]int64) string {
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
