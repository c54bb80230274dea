package settings_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/settings"
	"github.com/agentsentinel/sentinel/rule"
)

// TestSchemaLines: what `init` and `rules new` write names a schema that is
// published under that very address.
func TestSchemaLines(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string][]byte{"rule/schema.json": rule.Schema(), "config/schema.json": config.Schema()} {
		id := settings.SchemaID(schema)
		require.True(t, strings.HasPrefix(id, "https://"), name)
		require.True(t, strings.HasSuffix(id, "/"+name), "the address %s is not where %s stands", id, name)
		require.FileExists(t, filepath.Join("..", "..", filepath.FromSlash(name)))
	}
}
