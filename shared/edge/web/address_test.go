package web

import (
	"net/netip"
	"testing"
)

func TestPublic(t *testing.T) {
	t.Parallel()
	for ip, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "93.184.216.34": true, "100.63.255.255": true, "100.128.0.1": true, "172.15.0.1": true, "172.32.0.1": true,
		"192.167.1.1": true, "198.17.255.255": true, "223.255.255.255": true, "::ffff:8.8.8.8": true, "2606:4700:4700::1111": true, "2a00:1450::1": true,

		"127.0.0.1": false, "127.255.255.255": false, "0.0.0.0": false, "0.1.2.3": false, "10.1.2.3": false, "172.16.0.1": false, "172.31.255.255": false,
		"192.168.0.1": false, "169.254.0.1": false, "169.254.169.254": false, "169.254.170.2": false, "100.64.0.1": false, "100.100.100.200": false, "100.127.255.255": false,
		"168.63.129.16": false, "192.0.0.192": false, "192.0.2.1": false, "198.18.0.1": false, "198.19.255.255": false, "198.51.100.1": false, "203.0.113.1": false,
		"224.0.0.1": false, "239.255.255.255": false, "240.0.0.1": false, "255.255.255.255": false, "192.88.99.1": false,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::127.0.0.1": false, "::8.8.8.8": false,
		"fe80::1": false, "fec0::1": false, "fc00::1": false, "fd00:ec2::254": false, "ff02::1": false, "64:ff9b::8.8.8.8": false, "64:ff9b:1::1": false,
		"2001::1": false, "2001:db8::1": false, "2002:808:808::": false, "100::1": false, "3fff::1": false, "5f00::1": false, "2606:4700::1%eth0": false,
	} {
		if got := public(netip.MustParseAddr(ip)); got != want {
			t.Errorf("%s: public is %v", ip, got)
		}
	}
	if public(netip.Addr{}) {
		t.Error("no address is public")
	}
}
