package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentsentinel/sentinel/internal/state"
)

// state looks at the user's folders.
func (d *doctor) state(context.Context) []Finding {
	return append(
		d.private("state", d.Project.StateDir, "trust, the budget and what was said cannot be kept"),
		d.private("cache", d.Project.CacheDir, "rules are parsed and models asked anew with every call")...)
}

// private looks at a folder that is the user's alone.
func (d *doctor) private(name, dir, without string) []Finding {
	if dir == "" {
		return []Finding{warn(name, "there is no folder for it: "+without, "set HOME")}
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{d.creatable(name, dir, without)}
	case err != nil:
		return []Finding{fail(name, fmt.Sprintf("%s cannot be looked at: %v: %s", d.display(dir), cause(err), without), "give yourself the folder")}
	case !info.IsDir():
		return []Finding{fail(name, d.display(dir)+" is not a folder: "+without, "remove it, or move it away")}
	}
	if why := notOwn(info); why != "" {
		return []Finding{fail(name, d.display(dir)+" "+why+": what is in it cannot be believed", "make it yours alone: chown and chmod 700")}
	}
	if err := writable(dir); err != nil {
		return []Finding{fail(name, fmt.Sprintf("%s cannot be written: %v: %s", d.display(dir), cause(err), without), "make room on the disk, or give yourself the right (chmod 700)")}
	}
	found := ok(name, d.display(dir)+" can be written, by you alone")
	if open := openTo(info); open != "" {
		found = warn(name, fmt.Sprintf("%s can be read by others (%s)", d.display(dir), open), "chmod 700 "+dir)
	}
	if _, err := os.Lstat(filepath.Join(dir, "key")); name == "state" && err == nil {
		if _, err := state.Key(dir); err != nil {
			return []Finding{found, fail(name, "the key that fences what is judged, and seals what Sentinel keeps, cannot be used: "+message(err), "remove the file; a new one is made")}
		}
	}
	return []Finding{found}
}

// creatable looks at the folder above one that is not there yet.
func (d *doctor) creatable(name, dir, without string) Finding {
	above := filepath.Dir(dir)
	for {
		if _, err := os.Stat(above); !errors.Is(err, fs.ErrNotExist) || above == filepath.Dir(above) {
			break
		}
		above = filepath.Dir(above)
	}
	if err := writable(above); err != nil {
		return fail(name, fmt.Sprintf("%s is not there and cannot be made: %v: %s", d.display(dir), cause(err), without), "give yourself the right to write "+d.display(above))
	}
	return ok(name, d.display(dir)+" is made when it is needed")
}

// writable writes a page into a folder and removes it: a full disk shows only so.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 4096))
	return errors.Join(err, f.Close())
}

// cause is what the system said, without the name of a file of the moment.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
