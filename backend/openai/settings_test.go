package openai

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/backend/internal/webapi"
)

// TestSettings: the keys are those of every web service, in the same words, and a profile.
func TestSettings(t *testing.T) {
	t.Parallel()
	own, service := reflect.TypeFor[Settings](), reflect.TypeFor[webapi.Settings]()
	var full Settings
	for i := range service.NumField() {
		want := service.Field(i)
		got, ok := own.FieldByName(want.Name)
		require.True(t, ok, want.Name)
		require.Equal(t, want.Type, got.Type, want.Name)
		require.Equal(t, want.Tag, got.Tag, want.Name)
		switch f := reflect.ValueOf(&full).Elem().FieldByName(want.Name); f.Kind() {
		case reflect.String:
			f.SetString(want.Name)
		default:
			f.SetInt(1)
		}
	}
	passed := reflect.ValueOf(full.service())
	for i := range service.NumField() {
		require.False(t, passed.Field(i).IsZero(), "%s is not passed on", service.Field(i).Name)
	}
	require.Equal(t, service.NumField()+1, own.NumField())
}
