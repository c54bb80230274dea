//go:build unix

package project

import "syscall"

// nonBlock keeps a FIFO in the place of a file from blocking the hook.
const nonBlock = syscall.O_NONBLOCK
