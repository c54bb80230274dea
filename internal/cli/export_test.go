package cli

// ChildEnv is for tests of this package's outside.
var ChildEnv = childEnv
