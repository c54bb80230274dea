package repo

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// A lookup resolves a host's name.
type lookup func(ctx context.Context, host string) ([]netip.Addr, error)

func systemLookup(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// pin resolves the host of a URL, refuses it where one of its addresses is in a
// private network, and returns the value of http.curloptResolve that holds git to
// the addresses that were looked at. So a name that leads elsewhere when it is
// resolved for the second time gains nothing. An address that is given in numbers
// needs none.
func pin(ctx context.Context, u *url.URL, resolve lookup, allowPrivate bool) (string, error) {
	host := u.Hostname()
	var addrs []netip.Addr
	if ip, err := netip.ParseAddr(host); err == nil {
		addrs = []netip.Addr{ip}
	} else if addrs, err = resolve(ctx, strings.TrimSuffix(host, ".")); err != nil {
		return "", fmt.Errorf("its host is not found: %w", err)
	}
	if len(addrs) == 0 {
		return "", fmt.Errorf("its host %s has no address", host)
	}
	texts := make([]string, 0, len(addrs))
	for _, a := range addrs {
		a = a.Unmap().WithZone("")
		if !allowPrivate && private(a) {
			return "", fmt.Errorf("its host %s is in a private network (%s)", host, a)
		}
		texts = append(texts, bracketed(a))
	}
	slices.Sort(texts)
	port := u.Port()
	if port == "" {
		port = "443"
	}
	if addrs[0].String() == host {
		return "", nil // nothing is resolved
	}
	return host + ":" + port + ":" + strings.Join(slices.Compact(texts), ","), nil
}

func bracketed(a netip.Addr) string {
	if a.Is6() {
		return "[" + a.String() + "]"
	}
	return a.String()
}

// private reports whether an address is not one of the public Internet: by the
// IANA registries of special-purpose addresses for IPv4 and IPv6.
func private(a netip.Addr) bool {
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return true // loopback, link-local, multicast, unspecified, 10/8, 172.16/12, 192.168/16, fc00::/7
	}
	for _, prefix := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
	} {
		if netip.MustParsePrefix(prefix).Contains(a) {
			return true
		}
	}
	return false
}
