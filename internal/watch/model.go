package watch

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/telemetry"
)

// A Source returns the new lines of logs since the last call.
type Source interface {
	Next() ([]telemetry.Record, error)
}

// every is the time between two reads of the log.
const every = 250 * time.Millisecond

// wide is the width in characters from which details are next to the list.
const wide = 120

// Model is the screen. It is a [tea.Model].
type Model struct {
	title         string
	source        Source
	zone          *time.Location
	calls         calls
	waiting       []telemetry.Record // while paused
	width, height int

	selected  *call // nil: the newest, whatever comes
	filter    string
	typing    bool // the filter is being written
	paused    bool
	help      bool
	failure   string
	noDetails bool
}

// New returns the screen of a source. title names the log, times are shown in zone.
func New(title string, source Source, zone *time.Location) *Model {
	return &Model{title: text.Line(title), source: source, zone: zone, width: 80, height: 24}
}

type (
	tick    struct{}
	arrived struct {
		records []telemetry.Record
		err     error
	}
)

// Init implements [tea.Model].
func (m *Model) Init() tea.Cmd { return m.look }

// look asks the source. It is a [tea.Cmd].
func (m *Model) look() tea.Msg {
	records, err := m.source.Next()
	return arrived{records, err}
}

// Update implements [tea.Model].
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case arrived:
		m.take(msg)
		return m, tea.Tick(every, func(time.Time) tea.Msg { return tick{} })
	case tick:
		return m, m.look
	case tea.KeyMsg:
		if m.typing {
			m.write(msg)
			return m, nil
		}
		return m, m.press(msg.String())
	}
	return m, nil
}

func (m *Model) take(msg arrived) {
	m.failure = ""
	if msg.err != nil {
		m.failure = text.Line(msg.err.Error())
	}
	if m.paused {
		m.waiting = append(m.waiting, msg.records...)
		if over := len(m.waiting) - 4*maxCalls; over > 0 {
			m.waiting = m.waiting[over:]
		}
		return
	}
	for _, r := range msg.records {
		m.calls.add(r)
	}
}

// write handles a key while the user types the filter.
func (m *Model) write(key tea.KeyMsg) {
	switch key.Type {
	case tea.KeyEnter:
		m.typing = false
	case tea.KeyEsc, tea.KeyCtrlC:
		m.typing, m.filter = false, ""
	case tea.KeyBackspace:
		_, size := utf8.DecodeLastRuneInString(m.filter)
		m.filter = m.filter[:len(m.filter)-size]
	case tea.KeyRunes, tea.KeySpace:
		m.filter += text.Clean(string(key.Runes))
	}
	m.selected = nil
}

// press handles any other key.
func (m *Model) press(key string) tea.Cmd {
	switch key {
	case "q", "ctrl+c":
		return tea.Quit
	case "?":
		m.help = !m.help
	case "esc":
		m.help, m.filter, m.selected = false, "", nil
	case "/":
		m.typing, m.help = true, false
	case "p", " ":
		m.pause()
	case "enter":
		m.noDetails = !m.noDetails
	case "up", "k":
		m.move(-1)
	case "down", "j":
		m.move(1)
	case "pgup":
		m.move(-10)
	case "pgdown":
		m.move(10)
	case "home", "g":
		m.move(-maxCalls)
	case "end", "G":
		m.selected = nil
	}
	return nil
}

// pause stops the list, or adds the lines that have come since.
func (m *Model) pause() {
	m.paused = !m.paused
	if m.paused {
		return
	}
	for _, r := range m.waiting {
		m.calls.add(r)
	}
	m.waiting = nil
}

// shown are the calls that pass the filter.
func (m *Model) shown() []*call {
	if m.filter == "" {
		return m.calls.list
	}
	var list []*call
	for _, c := range m.calls.list {
		if c.matches(m.filter) {
			list = append(list, c)
		}
	}
	return list
}

// at is the index of the selected call; without a selection that of the last one.
func (m *Model) at(list []*call) int {
	for i, c := range list {
		if c == m.selected {
			return i
		}
	}
	return len(list) - 1
}

func (m *Model) move(by int) {
	list := m.shown()
	if len(list) == 0 {
		return
	}
	i := min(max(m.at(list)+by, 0), len(list)-1)
	m.selected = list[i]
	if i == len(list)-1 {
		m.selected = nil // the newest again
	}
}

// View implements [tea.Model].
func (m *Model) View() string {
	if m.width < 20 || m.height < 5 {
		return "too small"
	}
	body := m.height - 2
	var lines []string
	switch {
	case m.help:
		lines = helpLines
	case m.noDetails:
		lines = m.rows(m.width, body)
	case m.width >= wide:
		lines = m.joined(body)
	default:
		list := max(body-body/2-1, 1)
		lines = append(m.rows(m.width, list), strings.Repeat("─", m.width))
		lines = append(lines, fit(m.details(), body-list-1)...)
	}
	lines = fit(lines, body)
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], m.width, "…")
	}
	return ansi.Truncate(m.head(), m.width, "…") + "\n" + strings.Join(lines, "\n") + "\n" + ansi.Truncate(m.foot(), m.width, "…")
}

// fit makes exactly n lines of a text.
func fit(lines []string, n int) []string {
	out := make([]string, n)
	copy(out, lines)
	return out
}

var helpLines = []string{
	"",
	"  ↑ ↓  k j       another call       home g   the oldest     end G   the newest",
	"  page up, down  ten calls on",
	"  enter          details, or none",
	"  /              filter by verdict, rule, target or agent",
	"  esc            no filter, and the newest call",
	"  p, space       pause, and go on",
	"  ?              this help; ? or esc leads back",
	"  q              quit",
}

func (m *Model) head() string {
	stopped := 0
	for _, c := range m.calls.list {
		if v := c.main().Verdict; v == "block" || v == "ask" {
			stopped++
		}
	}
	head := fmt.Sprintf("%s  %s  %d calls, %d stopped", lipgloss.NewStyle().Bold(true).Render("sentinel watch"), m.title, len(m.calls.list), stopped)
	if m.paused {
		head += fmt.Sprintf("  PAUSED (%d lines wait)", len(m.waiting))
	}
	return head
}

func (m *Model) foot() string {
	switch {
	case m.failure != "":
		return m.failure
	case m.typing:
		return "filter: " + m.filter + "_"
	case m.filter != "":
		return fmt.Sprintf("filter: %s (%d)  / change  esc end it  ? help  q quit", m.filter, len(m.shown()))
	}
	return "↑↓ choose  enter details  / filter  p pause  ? help  q quit"
}

// joined puts list and details next to each other.
func (m *Model) joined(height int) []string {
	left := m.width * 3 / 5
	rows, details := fit(m.rows(left, height), height), fit(m.details(), height)
	for i := range rows {
		gap := max(left-ansi.StringWidth(rows[i]), 0)
		rows[i] += strings.Repeat(" ", gap) + " │ " + details[i]
	}
	return rows
}

// rows are the calls of the list that fit, around the selected one.
func (m *Model) rows(width, height int) []string {
	list := m.shown()
	switch {
	case len(list) == 0 && m.filter != "":
		return []string{"", "  No call matches the filter; esc ends it."}
	case len(list) == 0:
		return []string{"", "  Nothing yet: a line comes when a rule is about what an agent does."}
	}
	at := m.at(list)
	first := max(min(at-height/2, len(list)-height), 0)
	var rows []string
	for i := first; i < min(first+height, len(list)); i++ {
		rows = append(rows, m.row(list[i], i == at, width))
	}
	return rows
}

func (m *Model) row(c *call, chosen bool, width int) string {
	verdict, rule, target, agent := c.row()
	mark := "  "
	if chosen {
		mark = "> "
	}
	ruleWidth := min(max(width/4, 12), 32)
	text := fmt.Sprintf("%s%s %s %s %s %s", mark, c.time().In(m.zone).Format("15:04:05"),
		column(strings.ToUpper(verdict), 9), column(rule, ruleWidth), column(agent, 8), target)
	text = ansi.Truncate(text, width, "…")
	style := lipgloss.NewStyle().Bold(chosen)
	switch verdict {
	case "block":
		style = style.Foreground(lipgloss.Color("1"))
	case "ask", "warn", "undecided":
		style = style.Foreground(lipgloss.Color("3"))
	case "shadow":
		style = style.Foreground(lipgloss.Color("4"))
	}
	return style.Render(text)
}

// column is a text of exactly this width.
func column(s string, width int) string {
	s = ansi.Truncate(s, width, "…")
	return s + strings.Repeat(" ", max(width-ansi.StringWidth(s), 0))
}

// details are those of the selected call, wrapped to the available room.
func (m *Model) details() []string {
	list := m.shown()
	if len(list) == 0 {
		return nil
	}
	width := m.width
	if width >= wide {
		width -= m.width*3/5 + 3
	}
	var lines []string
	for _, line := range list[m.at(list)].details(m.zone) {
		lines = append(lines, strings.Split(ansi.Wrap(line, width, ""), "\n")...)
	}
	return lines
}
