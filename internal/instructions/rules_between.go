package instructions

import (
	"path"
	"regexp"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Code imports a folder by its path in the project, by the way from one folder to the other, by the
// name of a module in front of it, or by a name with dots.

// sourceRoot is the part of a path that no name of a package has.
var sourceRoot = lazy.Regexp{Source: `^(?:.*/)?(?:src|lib|app|python|main/java|main/kotlin)/`}

// importedAs are further ways to import a folder from the files of another one, as parts of a
// pattern, with a case of each. The line says the folder in its own way.
func importedAs(p *survey.Project, to, from, said string) (patterns, cases []string) {
	if strings.Contains(said, "/") { // in a list of imports, by the module that it is in
		patterns = append(patterns, `^\s*(?:import\s+)?(?:[\w.]+\s+)?"[\w.-]+/(?:[^"\n]*/)?(?<c>`+regexp.QuoteMeta(said)+`)(?:/[^"\n]*)?"\s*$`)
		cases = append(cases, "\t\"example.com/x/"+said+"\"")
	}
	above := from
	for above != "." && !strings.HasPrefix(to, above+"/") {
		above = path.Dir(above)
	}
	tail := strings.TrimPrefix(to, above+"/")
	if above == "." || strings.Contains(tail, ".") || p.Known() && p.Deeper(from, tail, "") {
		return patterns, cases
	}
	way := regexp.QuoteMeta(tail)
	patterns = append(patterns, `^\s*(?:import|export|from|\}|const|let|var)\b?[^\n]*["'](?:\.\./)+(?<d>`+way+`)["'/]`)
	cases = append(cases, "import a from '../"+tail+"/a'")
	if path.Base(above) == "lib" { // as Dart names its packages
		patterns = append(patterns, `^\s*(?:import|export)\s+["']package:\w+/(?<e>`+way+`)/`)
		cases = append(cases, "import 'package:x/"+tail+"/a.dart';")
	}
	if dots := strings.ReplaceAll(sourceRoot.Get().ReplaceAllString(said, ""), "/", "."); strings.Contains(dots, ".") {
		patterns = append(patterns, `^\s*(?:from|import)\s+(?:static\s+)?(?:[\w.]+\.)?(?<f>`+regexp.QuoteMeta(dots)+`)(?:[.;\s]|$)`)
		cases = append(cases, "from "+dots+" import a")
	}
	return patterns, cases
}

// byName returns patterns for imports of a folder by the name of its package, with cases that they match. If the
// line forbids to depend on the folder, a line of a manifest with that name is matched, too.
func (b *builder) byName(to string) (patterns, cases []string) {
	depends := dependsOn.Get().MatchString(b.hit.Phrase.Words)
	if name := b.p.NamedPackage(to); name != "" {
		quoted := regexp.QuoteMeta(name)
		patterns = append(patterns, `(?:\bfrom|\brequire\(|\bimport\(|^\s*import)\s*["'](?<named>`+quoted+`)["'/]`)
		cases = append(cases, "import a from '"+name+"'", "} from '"+name+"/a'")
		if depends {
			patterns = append(patterns, `^\s*"(?<listed>`+quoted+`)"\s*:\s*"`)
			cases = append(cases, "    \""+name+"\": \"1\",")
		}
	}
	if name := b.p.NamedCrate(to); name != "" {
		code := regexp.QuoteMeta(strings.ReplaceAll(name, "-", "_"))
		patterns = append(patterns, `^\s*(?:pub(?:\([^)\n]*\))?\s+)?(?:use|extern\s+crate)\s+(?:::)?\{?(?<crate>`+code+`)(?:::|[;,\s])`)
		cases = append(cases, "use "+strings.ReplaceAll(name, "-", "_")+"::a;")
		if depends {
			patterns = append(patterns, `^\s*(?:\[[\w.()' -]*dependencies\.)?["']?(?<dependency>`+regexp.QuoteMeta(name)+`)["']?(?:\]|\s*=|\.(?:workspace|path|version)\s*=)`)
			cases = append(cases, name+" = { path = \"../a\" }", name+".workspace = true")
		}
	}
	return patterns, cases
}

// dependsOn says what other code is not to depend on.
var dependsOn = lazy.Regexp{Source: `\bdepend`}
