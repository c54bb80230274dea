package install

// A Step is what only a user can do before the agent runs the hook. What and Do are
// parts of one sentence, without a full stop.
type Step struct {
	What string // what the agent waits for
	Do   string // what the user does
	// Read says that the agent's own files were read for it, so that they would show it
	// if it were done.
	Read bool
	// Done is what shows that it is done, "" where nothing does.
	Done string
}

// String is the sentence.
func (s Step) String() string { return s.What + ": " + s.Do }

// Reach says in which folders an agent loads the hooks that are in a repository's
// settings.
type Reach uint8

const (
	ReachUnknown Reach = iota // it was not run
	ReachRoot                 // only when it is started in the folder that has the settings
	ReachBelow                // when it is started in any folder of the repository
)
