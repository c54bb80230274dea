package rule

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/undo"
)

// The values of the key are the ways that there are.
func TestUndoNamesEveryWay(t *testing.T) {
	t.Parallel()
	field, ok := reflect.TypeFor[Definition]().FieldByName("Undo")
	require.True(t, ok)
	require.Equal(t, strings.Join(undo.Ways(), ","), field.Tag.Get("enum"))
}
