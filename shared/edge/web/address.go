package web

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
)

// refusedAddress is an address that is not public.
type refusedAddress struct{ why string }

func (r *refusedAddress) Error() string { return "refused: " + r.why }

// check judges what can be seen of an address; where it leads is control's to
// judge.
func check(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("only http and https addresses are fetched")
	case u.Hostname() == "":
		return errors.New("the address names no server")
	case u.User != nil:
		return errors.New("an address with a user name or password in it is not fetched")
	}
	return nil
}

// control judges the very address that is about to be connected to, after the
// name was resolved, for each try of each connection.
func (f *Fetcher) control(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return &refusedAddress{"not a network address"}
	}
	if err := f.judge(to.Addr()); err != nil {
		return err
	}
	if p := to.Port(); p != 80 && p != 443 && p < 1024 && !f.allowed(to.Addr()) {
		return &refusedAddress{"port " + strconv.Itoa(int(p)) + " is not one of the web's"}
	}
	return nil
}

func (f *Fetcher) judge(ip netip.Addr) error {
	if f.allowed(ip) || public(ip) {
		return nil
	}
	return &refusedAddress{"the address is not a public one"}
}

func (f *Fetcher) allowed(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	for _, p := range f.allow {
		if p.Contains(ip) {
			return true
		}
	}
	return false
}

// public reports whether an address is one of the open internet's. Loopback,
// private, link-local and multicast addresses are not, nor those of providers'
// own services (metadata), nor those that carry another address inside.
func public(ip netip.Addr) bool {
	if ip.Zone() != "" {
		return false
	}
	ip = ip.Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	if ip.Is6() && !unicast.Contains(ip) {
		return false
	}
	for _, p := range special {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// unicast is all that is given out of IPv6 so far.
var unicast = netip.MustParsePrefix("2000::/3")

// special is the rest of the registries of special addresses that lie in what
// looks public, and a metadata service that does.
var special = func() (all []netip.Prefix) {
	for _, s := range []string{
		"0.0.0.0/8",        // this network
		"100.64.0.0/10",    // carriers, and metadata of one provider
		"168.63.129.16/32", // a provider's own service
		"192.0.0.0/24",     // protocol assignments, and metadata of one provider
		"192.0.2.0/24",     // documentation
		"192.88.99.0/24",   // 6to4 relays
		"198.18.0.0/15",    // benchmarks
		"198.51.100.0/24",  // documentation
		"203.0.113.0/24",   // documentation
		"240.0.0.0/4",      // reserved, and broadcast
		"2001::/23",        // protocol assignments, Teredo among them
		"2001:db8::/32",    // documentation
		"2002::/16",        // 6to4: holds an IPv4 address
		"3fff::/20",        // documentation
	} {
		all = append(all, netip.MustParsePrefix(s))
	}
	return all
}()
