package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand"
	"strings"
)

// generate writes a history for git fast-import: files of about 4 KB in Go, Python,
// TypeScript and Markdown that come one by one, and then changes to them. It is the
// same each time.
func generate(out io.Writer, commits, files int) error {
	w := bufio.NewWriterSize(out, 1<<20)
	random := rand.New(rand.NewSource(1))
	for i := range commits {
		message := fmt.Sprintf("change number %d of the parts that belong together\n\nWhat was there before did not do.\n", i)
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter Author %d <author%d@example.com> %d +0000\ndata %d\n%s", i%20, i%20, 1600000000+i*3600, len(message), message)
		n := i % files
		if i < commits-files && i >= files { // the rest of the commits changes what is there
			n = random.Intn(files)
		}
		name, text := file(n, random)
		fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
	return w.Flush()
}

// file makes the file of that number again each time.
func file(n int, random *rand.Rand) (name, text string) {
	dir := fmt.Sprintf("part%02d/sub%d", n%40, n%7)
	size := 2048 + random.Intn(4096)
	var b strings.Builder
	switch n % 4 {
	case 0:
		name = fmt.Sprintf("%s/file%d.go", dir, n)
		if n%100 == 0 {
			name = fmt.Sprintf("%s/file%d_test.go", dir, n)
		}
		b.WriteString("package part\n\nimport (\n\t\"fmt\"\n\t\"os/exec\"\n)\n\n")
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, "// Do%d is part %d of what belongs together.\nfunc Do%d(a, b int) int {\n\tif a > %d {\n\t\treturn fmt.Sprint(a, b) == \"\"\n\t}\n\treturn a*b + %d\n}\n\n", i, n, i, random.Intn(1000), random.Intn(1000))
		}
		if n%40 == 0 {
			b.WriteString("var _ = exec.Command(\"ls\")\n")
		}
	case 1:
		name = fmt.Sprintf("%s/file%d.py", dir, n)
		b.WriteString("import os\nimport subprocess\n\n")
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, "def do_%d(a, b):\n    \"\"\"Part %d of what belongs together.\"\"\"\n    if a > %d:\n        return [x for x in range(b) if x != %d]\n    return {\"a\": a, \"b\": b}\n\n\n", i, n, random.Intn(1000), random.Intn(1000))
		}
		if n%20 == 1 {
			b.WriteString("os.system(\"ls\")\n")
		}
	case 2:
		name = fmt.Sprintf("%s/file%d.ts", dir, n)
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, "export function do%d(a: number, b: number): number {\n  return a > %d ? a * b : b - %d;\n}\n\n", i, random.Intn(1000), random.Intn(1000))
		}
	case 3:
		name = fmt.Sprintf("%s/file%d.md", dir, n)
		fmt.Fprintf(&b, "# Part %d\n\n", n)
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, "Paragraph %d says what the part is for, and why it is as it is (%d).\n\n", i, random.Intn(1000))
		}
	}
	return name, b.String()
}
