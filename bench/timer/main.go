// Command timer starts several programs in turn, again and again, and says how
// long each took as a whole process, compared with the first of them.
//
// The programs take turns so that whatever else the machine does falls on all
// alike, and each round starts with another one so that none always follows the
// same. The difference to the first is taken within each round before the
// median is.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	runs := flag.Int("n", 200, "rounds")
	warmup := flag.Int("warmup", 5, "rounds before that are not counted")
	vary := flag.String("vary", "", "text in STDIN that is another number each time: what is asked twice may be answered from memory")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "usage: timer [-n ROUNDS] [-warmup ROUNDS] NAME=EXIT,DIR,STDIN,PROGRAM[,ARG...] ...\n\n"+
			"EXIT is the exit status that is right; DIR and STDIN may be empty.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(os.Stdout, *runs, *warmup, *vary, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "timer:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, runs, warmup int, vary string, args []string) error {
	if runs < 1 || len(args) == 0 {
		return errors.New("want at least one round and one program")
	}
	var programs []*program
	for _, arg := range args {
		p, err := parse(arg)
		if err != nil {
			return err
		}
		programs = append(programs, p)
	}
	scratch, err := os.MkdirTemp("", "timer-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	for round := range warmup + runs {
		for i := range programs {
			p := programs[(i+round)%len(programs)]
			stdin := p.stdin
			if vary != "" && stdin != "" {
				stdin = filepath.Join(scratch, "stdin")
				if err := varied(stdin, p.stdin, vary, round*len(programs)+i); err != nil {
					return err
				}
			}
			took, err := p.start(stdin)
			if err != nil {
				return err
			}
			if round >= warmup {
				p.samples = append(p.samples, took)
			}
		}
	}
	report(out, programs)
	return nil
}

// varied writes the content of from to path, with a number for vary.
func varied(path, from, vary string, number int) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(path, bytes.ReplaceAll(data, []byte(vary), fmt.Appendf(nil, "%08d", number)), 0o600)
}

// program is something to start, and how long that took each time.
type program struct {
	name, dir, stdin string
	exit             string
	argv             []string
	samples          []sample
}

type sample struct{ wall, cpu time.Duration }

// parse reads NAME=EXIT,DIR,STDIN,PROGRAM[,ARG...].
func parse(arg string) (*program, error) {
	name, rest, ok := strings.Cut(arg, "=")
	fields := strings.Split(rest, ",")
	if !ok || len(fields) < 4 {
		return nil, fmt.Errorf("%q is not NAME=EXIT,DIR,STDIN,PROGRAM[,ARG...]", arg)
	}
	path, err := exec.LookPath(fields[3])
	if err != nil {
		return nil, err
	}
	return &program{name: name, exit: fields[0], dir: fields[1], stdin: fields[2], argv: append([]string{path}, fields[4:]...)}, nil
}

// start runs the program once, with its output thrown away. No pipe and no
// goroutine of ours is between it and the clock.
func (p *program) start(stdin string) (sample, error) {
	in, err := os.Open(cmp.Or(stdin, os.DevNull))
	if err != nil {
		return sample{}, err
	}
	defer in.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return sample{}, err
	}
	defer null.Close()

	began := time.Now()
	proc, err := os.StartProcess(p.argv[0], p.argv, &os.ProcAttr{Dir: p.dir, Files: []*os.File{in, null, null}})
	if err != nil {
		return sample{}, err
	}
	state, err := proc.Wait()
	wall := time.Since(began)
	if err != nil {
		return sample{}, err
	}
	if got := fmt.Sprint(state.ExitCode()); got != p.exit {
		return sample{}, fmt.Errorf("%s exited with %s, not with %s: nothing was measured", p.name, got, p.exit)
	}
	return sample{wall, state.UserTime() + state.SystemTime()}, nil
}

// report prints a Markdown table.
func report(out io.Writer, programs []*program) {
	fmt.Fprintf(out, "| whole process, %d runs each | min ms | median ms | p90 ms | max ms | CPU ms | above the first, ms | ratio |\n", len(programs[0].samples))
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|")
	base := programs[0]
	for _, p := range programs {
		var wall, cpu, above []time.Duration
		for i, s := range p.samples {
			wall = append(wall, s.wall)
			cpu = append(cpu, s.cpu)
			above = append(above, s.wall-base.samples[i].wall)
		}
		fmt.Fprintf(out, "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", p.name,
			ms(quantile(wall, 0)), ms(quantile(wall, 0.5)), ms(quantile(wall, 0.9)), ms(quantile(wall, 1)), ms(quantile(cpu, 0.5)),
			ms(quantile(above, 0.5)), ratio(p, base))
	}
}

// ratio is the median of p over the median of base.
func ratio(p, base *program) float64 {
	median := func(p *program) float64 {
		var wall []time.Duration
		for _, s := range p.samples {
			wall = append(wall, s.wall)
		}
		return float64(quantile(wall, 0.5))
	}
	return median(p) / median(base)
}

// quantile returns the smallest value that a share q of the values do not exceed.
func quantile(values []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
