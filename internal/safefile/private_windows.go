package safefile

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// others are groups that hold more people than the user and administrators.
var others = [...]windows.WELL_KNOWN_SID_TYPE{
	windows.WinWorldSid, windows.WinAuthenticatedUserSid, windows.WinBuiltinUsersSid, windows.WinBuiltinGuestsSid,
	windows.WinInteractiveSid, windows.WinNetworkSid, windows.WinAnonymousSid, windows.WinAccountDomainUsersSid,
}

// writing are the rights to change a file, or its list of writers.
const writing = windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.DELETE | windows.WRITE_DAC | windows.WRITE_OWNER |
	windows.GENERIC_WRITE | windows.GENERIC_ALL

// closed says why another user could have written an open file: it belongs to somebody
// else, or its access list lets a group of people write.
func closed(f *os.File) error {
	sd, err := windows.GetSecurityInfo(windows.Handle(f.Fd()), windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("its access list cannot be read: %w", err)
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return fmt.Errorf("its owner cannot be read: %w", err)
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return fmt.Errorf("your own name cannot be read: %w", err)
	}
	if !owner.Equals(user.User.Sid) && !owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) && !owner.IsWellKnown(windows.WinLocalSystemSid) {
		return fmt.Errorf("belongs to %s", owner)
	}
	list, _, err := sd.DACL()
	if err != nil || list == nil {
		return errors.New("can be written by others (it has no access list)")
	}
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return fmt.Errorf("its access list cannot be read: %w", err)
		}
		if entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE || entry.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 || entry.Mask&writing == 0 {
			continue
		}
		if sid := sidOf(entry); isOthers(sid) {
			return fmt.Errorf("can be written by others (its access list lets %s)", sid)
		}
	}
	return nil
}

// sidOf is the account that an entry is about: it is at the entry's end.
func sidOf(entry *windows.ACCESS_ALLOWED_ACE) *windows.SID {
	return (*windows.SID)(unsafe.Pointer(&entry.SidStart))
}

func isOthers(sid *windows.SID) bool {
	for _, group := range others {
		if sid.IsWellKnown(group) {
			return true
		}
	}
	return false
}
