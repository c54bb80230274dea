package instructions

// A Project says what the repository has that drafts and statuses depend on.
type Project struct {
	Scripts map[string]string // of package.json
	Linters []Linter
	Files   []string // names at the top of the project
}

// A Linter is a linter or formatter that the project has set up.
type Linter struct {
	Name string // "eslint"
	File string // the file that configures it
}

// Survey looks at the top of a project's folder, and reads the files of it that say
// which linters there are.
func Survey(root string) Project { return Project{} }
