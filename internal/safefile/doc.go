// Package safefile opens, reads and replaces files at paths that others may have
// chosen or prepared: those of a cloned repository, of a log, of a transcript, and
// the user's own state.
//
// Every function takes regular files only. A FIFO or a device in the place of a
// file is an error and never blocks: not even its opening, which could wait or act
// on it, is tried. Reading is bounded. The name says the difference:
//
//   - [Open] and [Read] follow links.
//   - [OpenNoFollow], [OpenAppend] and [ReadNoFollow] refuse a link as the last
//     element of the path. Links before it are the caller's to judge: see [Within].
//   - [OpenPrivate] and [ReadPrivate] refuse links, and files that another user
//     could have written.
//   - [Replace] keeps the mode of a file and syncs it to disk. [Swap] and [Create]
//     do neither.
//
// A file that is exchanged between the look at it and its opening is not used.
// All functions are safe for concurrent use, also by several processes.
package safefile
