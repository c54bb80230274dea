package rule

import "reflect"

// WhenNames returns the names that an expression may have: variables, functions, and the
// fields of commands, effects and secrets. docs/when.md explains them.
func WhenNames() (variables, functions, fields []string) {
	for _, t := range []reflect.Type{reflect.TypeFor[whenCommand](), reflect.TypeFor[whenEffect](), reflect.TypeFor[whenSecret]()} {
		fields = append(fields, whenFields(t)...)
	}
	return whenVariables(), whenFunctions(), fields
}

// Depends returns what the rule depends on besides the call, by the names of its keys and
// of its expression: once, exists, disposable and so on. A broken rule has none.
func (r *Rule) Depends() []string {
	if r.spec.Err != nil {
		return nil
	}
	var on []string
	if r.def.obliges() {
		on = append(on, "what happened before in the session")
	}
	if r.def.Once {
		on = append(on, "once")
	}
	if r.def.When == "" {
		return on
	}
	if p := r.compiled(&r.program, r.def.When); p.err == nil {
		for _, name := range onDisk {
			if p.when.reads(name) {
				on = append(on, name)
			}
		}
	}
	return on
}
