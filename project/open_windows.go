package project

// nonBlock has no meaning here: a folder cannot hold a pipe.
const nonBlock = 0
