//go:build unix

package transcript

import "syscall"

// nonBlock keeps a FIFO in the place of a transcript from blocking the reader.
const nonBlock = syscall.O_NONBLOCK
