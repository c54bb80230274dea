package safefile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// A device is not a file, in any folder.
func TestDevicesAreNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"CON", "NUL", "nul", `\\.\NUL`, "CONIN$", `\\.\pipe\none`} {
		for way, read := range ways {
			_, err := read(name)
			require.Error(t, err, "%s of %s", way, name)
			if filepath.Base(name) == name {
				_, err = read(filepath.Join(dir, name))
				require.Error(t, err, "%s of %s in a folder", way, name)
			}
		}
	}
}

func TestWhoMayWriteByTheAccessList(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("content"), 0o600))
	_, err := safefile.ReadPrivate(path, limit)
	require.NoError(t, err)

	everybody, err := windows.CreateWellKnownSid(windows.WinWorldSid)
	require.NoError(t, err)
	for rights, refused := range map[windows.ACCESS_MASK]bool{windows.GENERIC_READ: false, windows.GENERIC_ALL: true} {
		user, err := windows.GetCurrentProcessToken().GetTokenUser()
		require.NoError(t, err)
		list, err := windows.ACLFromEntries([]windows.EXPLICIT_ACCESS{
			{AccessPermissions: windows.GENERIC_ALL, AccessMode: windows.SET_ACCESS, Trustee: windows.TRUSTEE{
				TrusteeForm: windows.TRUSTEE_IS_SID, TrusteeValue: windows.TrusteeValueFromSID(user.User.Sid)}},
			{AccessPermissions: rights, AccessMode: windows.SET_ACCESS, Trustee: windows.TRUSTEE{
				TrusteeForm: windows.TRUSTEE_IS_SID, TrusteeValue: windows.TrusteeValueFromSID(everybody)}},
		}, nil)
		require.NoError(t, err)
		require.NoError(t, windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
			windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil))
		_, err = safefile.ReadPrivate(path, limit)
		if refused {
			require.ErrorContains(t, err, "can be written by others (its access list lets S-1-1-0)")
		} else {
			require.NoError(t, err)
		}
	}
}

// A file that another process holds for a moment is replaced when it is given back.
func TestReplacedWhenGivenBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.NoError(t, os.WriteFile(path+"2", []byte("new"), 0o600))
	name, err := windows.UTF16PtrFromString(path)
	require.NoError(t, err)
	held, err := windows.CreateFile(name, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, 0, 0)
	require.NoError(t, err)
	tries := 0
	require.NoError(t, safefile.Patiently(func() error {
		if tries++; tries == 3 {
			require.NoError(t, windows.CloseHandle(held))
		}
		return os.Rename(path+"2", path)
	}))
	require.Equal(t, 3, tries)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "new", string(got))

	tries = 0
	require.Error(t, safefile.Patiently(func() error { tries++; return errors.New("something else") }))
	require.Equal(t, 1, tries)
}

func TestLongNames(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	path := filepath.Join(dir, "a name with blanks.yaml")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	name, err := windows.UTF16PtrFromString(path)
	require.NoError(t, err)
	short := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetShortPathName(name, &short[0], uint32(len(short)))
	require.NoError(t, err)
	require.Equal(t, path, safefile.LongName(windows.UTF16ToString(short[:n])))
	require.Equal(t, `C:\none\NONE~1`, safefile.LongName(`C:\none\NONE~1`))
}
