package config

import (
	"reflect"
	"strings"
)

// Get returns the value of a setting by the name that [Keys] gives it, in c: a
// string, bool, int, int64, float64, list or map. ok is false for an unknown name.
func (c *Config) Get(name string) (value any, ok bool) {
	v := reflect.ValueOf(c).Elem()
	for part := range strings.SplitSeq(name, ".") {
		if v.Kind() != reflect.Struct {
			return nil, false
		}
		if v, ok = fieldNamed(v, part); !ok {
			return nil, false
		}
	}
	if v.Kind() == reflect.Struct {
		return nil, false
	}
	return v.Interface(), true
}

func fieldNamed(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		key, opts, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if key == name && opts != "inline" {
			return v.Field(i), true
		}
	}
	return v, false
}
