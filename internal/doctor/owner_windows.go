package doctor

import "io/fs"

// notOwn: the folders below a user's profile are the user's own on Windows, and a
// mode says nothing there.
func notOwn(fs.FileInfo) string { return "" }

func openTo(fs.FileInfo) string { return "" }

// foreign: see notOwn.
func foreign(string) string { return "" }
