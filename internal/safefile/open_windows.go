package safefile

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// NoFollow has no counterpart among Go's flags for Windows, where making a link
// takes a privilege.
const NoFollow = 0

// shared lets others rename the file while it is open: rotation of a log needs it.
const shared = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE

func openRead(path string) (*os.File, error) {
	return create(path, windows.GENERIC_READ, windows.OPEN_EXISTING, 0)
}

// openAppend opens a reparse point (a symbolic link, a junction) itself instead of
// its target. Without FILE_WRITE_DATA every write goes to the end.
func openAppend(path string, _ fs.FileMode) (*os.File, error) {
	return create(path, windows.GENERIC_READ|windows.FILE_APPEND_DATA|windows.SYNCHRONIZE,
		windows.OPEN_ALWAYS, windows.FILE_FLAG_OPEN_REPARSE_POINT)
}

func create(path string, access, how, flags uint32) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	h, err := windows.CreateFile(name, access, shared, nil, how, windows.FILE_ATTRIBUTE_NORMAL|flags, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// Private says why a file cannot be this user's own. Access lists are not
// known here, see [PrivateFile].
func Private(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return ErrNotRegular
	}
	return nil
}
