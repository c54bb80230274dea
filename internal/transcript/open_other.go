//go:build !unix

package transcript

// nonBlock has no meaning here: a folder cannot hold a pipe.
const nonBlock = 0
