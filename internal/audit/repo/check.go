package repo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

// Check says what is wrong with a probe that this package would run: a query that does not
// compile, an invalid pattern. It is for [rubric.Rubric.Lint]. Probes on documents and
// diagrams are not looked at.
func Check(p *rubric.Probe) error {
	if err := checkPatterns(p); err != nil {
		return err
	}
	switch p.Type {
	case rubric.TypeText:
		_, err := regexp.Compile(p.Regex)
		return err
	case rubric.TypeAST:
		_, err := syntax.Compile(p)
		return err
	case rubric.TypeOverlap:
		if p.Of.Strings.Names == "" && len(p.Of.Files) == 0 {
			return fmt.Errorf("of names neither ast_strings nor files")
		}
		_, err := regexp.Compile(p.Of.Strings.Names)
		return err
	case rubric.TypeGit:
		return checkNames("metric", p.Metrics, rubric.Figures(rubric.TypeGit))
	case rubric.TypeManifest:
		return checkNames("kind of manifest", p.Kinds, manifestKinds())
	case rubric.TypeSecret:
		if p.Scope != "" && p.Scope != "tree" {
			return fmt.Errorf("unknown scope %q; the one there is, is tree", p.Scope)
		}
	case rubric.TypeWorkflow:
		if workflowCheck(p.Check) == nil {
			return fmt.Errorf("unknown check %q", p.Check)
		}
	case rubric.TypeFile, rubric.TypeGraph, rubric.TypeOneOf, rubric.TypeRatio, rubric.TypeDocTerms, rubric.TypeDocPaths, rubric.TypeDiagram:
	default:
		return fmt.Errorf("unknown type %q", p.Type)
	}
	return nil
}

func checkPatterns(p *rubric.Probe) error {
	patterns := slices.Concat(p.Any, p.Files.Include, p.Files.Exclude, p.Num.Files, p.Den.Files, p.Of.Files)
	if p.File != "" {
		patterns = append(patterns, p.File)
	}
	_, err := rubric.CompilePatterns(patterns)
	return err
}

func checkNames(what string, names, known []string) error {
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("unknown %s %q; write one of %s", what, name, strings.Join(known, ", "))
		}
	}
	return nil
}
