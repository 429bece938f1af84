package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// processAt finds the process on this machine that has a TCP connection's end
// at an address, by what Linux says of itself.
func processAt(address string) (int, error) {
	a, err := net.ResolveTCPAddr("tcp4", address)
	if err != nil {
		return 0, err
	}
	ip := a.IP.To4()
	local := strings.ToUpper(hex.EncodeToString([]byte{ip[3], ip[2], ip[1], ip[0]})) + fmt.Sprintf(":%04X", a.Port)
	var inode string
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			return 0, fmt.Errorf("this machine does not say who is connected: %w", err)
		}
		for line := range strings.Lines(string(raw)) {
			f := strings.Fields(line)
			if len(f) > 9 && (f[1] == local || strings.HasSuffix(f[1], "FFFF0000"+local)) {
				inode = f[9]
			}
		}
	}
	if inode == "" || inode == "0" {
		return 0, fmt.Errorf("nobody on this machine is connected from %s", address)
	}
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return 0, err
	}
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil && to == "socket:["+inode+"]" {
			return strconv.Atoi(strings.Split(l, "/")[2])
		}
	}
	return 0, fmt.Errorf("no process of ours holds the connection from %s", address)
}

// environment reads one variable that a process was started with.
func environment(pid int, name string) string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return ""
	}
	for v := range strings.SplitSeq(string(raw), "\x00") {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// end kills a process at once and waits until it is gone.
func end(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill %d: %w", pid, err)
	}
	for range 500 {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			return nil
		}
		if _, after, ok := strings.Cut(string(raw), ") "); ok && strings.HasPrefix(after, "Z") {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("process %d does not end", pid)
}
