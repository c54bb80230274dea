//go:build !(unix || windows)

package telemetry

import "os"

func openAppend(path string, mode os.FileMode) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, mode)
}

func openRead(path string) (*os.File, error) { return os.Open(path) }
