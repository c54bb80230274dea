package browsertest

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long a browser may take for one step on a busy machine.
const patience = 2 * time.Minute

// A Tab is a page in a real browser, which a test uses by the browser's own protocol
// (https://chromedevtools.github.io/devtools-protocol). It belongs to one goroutine.
type Tab struct {
	t       *testing.T
	in      io.Writer
	session string
	last    int

	mu      sync.Mutex
	waiting map[int]chan reply
	loads   chan struct{}
	wrong   []string // what the console and the network have said
	asked   []string // the addresses that were requested
}

type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// Open starts a browser with an empty page. A browser that does not come up on this
// machine says nothing about the page: the test is skipped.
func Open(t *testing.T, browser string) *Tab {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the browser is spoken to by pipes that Windows has not")
	}
	dir := t.TempDir()
	theirIn, in, err := os.Pipe()
	require.NoError(t, err)
	out, theirOut, err := os.Pipe()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), browser, options(dir, "--remote-debugging-pipe")...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.WaitDelay = 10 * time.Second
	require.NoError(t, cmd.Start())
	theirIn.Close()
	theirOut.Close()
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		out.Close()
		_ = os.RemoveAll(filepath.Join(dir, "profile"))
	})
	tab := &Tab{t: t, in: in, waiting: map[int]chan reply{}, loads: make(chan struct{}, 100)}
	go tab.listen(out)
	var target struct{ TargetID, SessionID string }
	if !tab.try("Target.createTarget", map[string]any{"url": "about:blank"}, &target) {
		t.Skipf("%s does not run here", browser)
	}
	tab.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	tab.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		tab.call(domain+".enable", nil, nil)
	}
	return tab
}

// listen reads what the browser says until it ends.
func (tab *Tab) listen(out io.Reader) {
	for r := bufio.NewReader(out); ; {
		data, err := r.ReadBytes(0)
		if err != nil {
			tab.mu.Lock()
			for _, answer := range tab.waiting {
				close(answer)
			}
			clear(tab.waiting)
			tab.mu.Unlock()
			return
		}
		var m struct {
			reply
			ID     int
			Method string
			Params json.RawMessage
		}
		if json.Unmarshal(data[:len(data)-1], &m) != nil {
			continue
		}
		tab.mu.Lock()
		if answer := tab.waiting[m.ID]; answer != nil {
			answer <- m.reply
			delete(tab.waiting, m.ID)
		}
		tab.note(m.Method, m.Params)
		tab.mu.Unlock()
	}
}

// note keeps what an event says.
func (tab *Tab) note(method string, params json.RawMessage) {
	var p struct {
		Type             string
		Args             []struct{ Value any }
		ExceptionDetails struct{ Exception struct{ Description string } }
		Entry            struct{ Level, Text, URL string }
		Request          struct{ URL string }
	}
	if method == "" || json.Unmarshal(params, &p) != nil {
		return
	}
	switch method {
	case "Page.loadEventFired":
		tab.loads <- struct{}{}
	case "Runtime.consoleAPICalled":
		if p.Type == "error" || p.Type == "warning" {
			tab.wrong = append(tab.wrong, string(params))
		}
	case "Runtime.exceptionThrown":
		tab.wrong = append(tab.wrong, p.ExceptionDetails.Exception.Description)
	case "Log.entryAdded":
		if p.Entry.Level == "error" || p.Entry.Level == "warning" {
			tab.wrong = append(tab.wrong, p.Entry.Text+" "+p.Entry.URL[:min(len(p.Entry.URL), 200)])
		}
	case "Network.requestWillBeSent":
		tab.asked = append(tab.asked, p.Request.URL)
	}
}

// try makes a request and reports whether there was an answer.
func (tab *Tab) try(method string, params map[string]any, result any) bool {
	tab.t.Helper()
	tab.last++
	answer := make(chan reply, 1)
	tab.mu.Lock()
	tab.waiting[tab.last] = answer
	tab.mu.Unlock()
	data, err := json.Marshal(map[string]any{"id": tab.last, "method": method, "params": params, "sessionId": tab.session})
	require.NoError(tab.t, err)
	if tab.session == "" {
		data = []byte(strings.Replace(string(data), `,"sessionId":""`, "", 1))
	}
	if _, err := tab.in.Write(append(data, 0)); err != nil {
		return false
	}
	select {
	case got, ok := <-answer:
		if !ok {
			return false
		}
		require.Nil(tab.t, got.Error, "%s: %+v", method, got.Error)
		if result != nil {
			require.NoError(tab.t, json.Unmarshal(got.Result, result))
		}
		return true
	case <-time.After(patience):
		return false
	}
}

func (tab *Tab) call(method string, params map[string]any, result any) {
	tab.t.Helper()
	require.True(tab.t, tab.try(method, params, result), "the browser does not answer to %s", method)
}

// Screen makes the page so wide and high, in CSS pixels, and its colours dark or light.
func (tab *Tab) Screen(width, height int, dark bool) {
	tab.t.Helper()
	scheme := map[bool]string{true: "dark", false: "light"}[dark]
	tab.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	tab.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Go opens an address and waits until the page is loaded.
func (tab *Tab) Go(url string) {
	tab.t.Helper()
	for len(tab.loads) > 0 {
		<-tab.loads
	}
	tab.call("Page.navigate", map[string]any{"url": url}, nil)
	select {
	case <-tab.loads:
	case <-time.After(patience):
		require.Fail(tab.t, "the page is not loaded", url)
	}
}

// Eval runs JavaScript, the body of an async function, in the page and reads what it
// returns into result, which may be nil.
func (tab *Tab) Eval(script string, result any) {
	tab.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	tab.call("Runtime.evaluate", map[string]any{"expression": "(async () => {" + script + "\n})()", "awaitPromise": true, "returnByValue": true}, &got)
	require.Nil(tab.t, got.ExceptionDetails, "%s: %+v", script[:min(len(script), 200)], got.ExceptionDetails)
	if result != nil {
		require.NoError(tab.t, json.Unmarshal(got.Result.Value, result))
	}
}

// Key presses a key of the keyboard by its name in KeyboardEvent.key.
func (tab *Tab) Key(key string) {
	tab.t.Helper()
	params := map[string]any{"type": "keyDown", "key": key, "code": key}
	if code, named := map[string]int{"Enter": 13, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "Escape": 27}[key]; named {
		params["windowsVirtualKeyCode"] = code
	} else {
		params["text"] = key
	}
	if key == "Enter" {
		params["text"] = "\r"
	}
	tab.call("Input.dispatchKeyEvent", params, nil)
	params["type"] = "keyUp"
	delete(params, "text")
	tab.call("Input.dispatchKeyEvent", params, nil)
}

// Shot writes a picture of the page as PNG.
func (tab *Tab) Shot(path string) {
	tab.t.Helper()
	var shot struct{ Data string }
	tab.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	require.NoError(tab.t, err)
	require.NoError(tab.t, os.WriteFile(path, data, 0o600))
}

// Wrong returns the errors and warnings of the console since the last call of it.
func (tab *Tab) Wrong() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	wrong := tab.wrong
	tab.wrong = nil
	return wrong
}

// Asked returns the addresses that were requested so far, without those of a server and
// what its pages made themselves.
func (tab *Tab) Asked(server string) []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(tab.asked), func(url string) bool { return strings.HasPrefix(strings.TrimPrefix(url, "blob:"), server) })
}
