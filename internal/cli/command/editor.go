package command

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agentsentinel/sentinel/internal/text"
)

// Edit opens a file in the user's editor and waits for it.
func (e *Env) Edit(path string) error {
	editor := strings.TrimSpace(e.Getenv("VISUAL"))
	if editor == "" {
		editor = strings.TrimSpace(e.Getenv("EDITOR"))
	}
	if editor == "" {
		return errors.New("no editor is set: set VISUAL or EDITOR, or edit " + path + " by hand")
	}
	// As git does: the variable is a command of the shell, the file its last word.
	args := []string{"sh", "-c", editor + ` "$@"`, editor, path}
	if runtime.GOOS == "windows" {
		args = append(strings.Fields(editor), path)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = filepath.Dir(path), e.Stdin, e.Stderr, e.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the editor %s: %w", text.OneLine(editor), err)
	}
	return nil
}
