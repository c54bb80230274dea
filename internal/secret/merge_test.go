package secret

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	at := func(kind string, r rank, start, end int) hit {
		return hit{Found: Found{Kind: kind, Start: start, End: end}, rank: r}
	}
	for _, c := range []struct {
		name string
		hits []hit
		want []Found
	}{
		{"none", nil, nil},
		{"apart, in any order", []hit{at("b", byName, 5, 9), at("a", byFormat, 0, 5)}, []Found{{"a", 0, 5}, {"b", 5, 9}}},
		{"the second ends later", []hit{at("a", byName, 0, 6), at("b", byFormat, 4, 9)}, []Found{{"b", 0, 9}}},
		{"the second is inside", []hit{at("a", byFormat, 0, 9), at("b", byName, 4, 6)}, []Found{{"a", 0, 9}}},
		{"a chain", []hit{at("a", byName, 0, 4), at("b", byPlace, 3, 7), at("c", byName, 6, 9)}, []Found{{"b", 0, 9}}},
		{"the same", []hit{at("a", byName, 0, 4), at("b", byFormat, 0, 4)}, []Found{{"b", 0, 4}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, merge(c.hits))
		})
	}
}
