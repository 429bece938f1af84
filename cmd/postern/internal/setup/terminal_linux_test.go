package setup

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"syscall"
	"testing"
	"unsafe"
)

// terminal opens a pseudo terminal: what a person types into, and sees.
func terminal(t *testing.T) (keyboard, screen *os.File) {
	t.Helper()
	ptm, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("left out: this machine has no pseudo terminals")
	}
	t.Cleanup(func() { _ = ptm.Close() })
	var unlock, number int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, ptm.Fd(), request, uintptr(unsafe.Pointer(value))); e != 0 {
			t.Fatal(e)
		}
	}
	pts, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pts.Close() })
	return ptm, pts
}

// seen collects what the screen shows.
type seen struct {
	mu  sync.Mutex
	all bytes.Buffer
}

// U4: what is typed as a key is not shown; what is typed as an answer is.
func TestU4_AKeyIsNotShown(t *testing.T) {
	t.Parallel()
	keyboard, screen := terminal(t)
	s := &seen{}
	prompts := make(chan struct{}, 8)
	go func() {
		b := make([]byte, 256)
		for {
			n, err := keyboard.Read(b)
			if err != nil {
				return
			}
			s.mu.Lock()
			s.all.Write(b[:n])
			s.mu.Unlock()
			if bytes.HasSuffix(b[:n], []byte("? ")) {
				prompts <- struct{}{}
			}
		}
	}()
	enter := func(text string) {
		<-prompts
		if _, err := keyboard.WriteString(text); err != nil {
			t.Error(err)
		}
	}
	term := &Terminal{In: screen, Out: screen}
	go func() { enter("wrong\x15xoxb-never-showX\x7fn\r"); enter("seen-by-all\n") }()
	key, err := term.Hidden("key? ")
	if err != nil || key != "xoxb-never-shown" {
		t.Fatalf("%q, %v", key, err)
	}
	answer, err := term.Line("answer? ")
	if err != nil || answer != "seen-by-all" {
		t.Fatalf("%q, %v", answer, err)
	}
	_, _ = screen.WriteString("end? ")
	<-prompts
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes.Contains(s.all.Bytes(), []byte("never-shown")) {
		t.Errorf("the key was shown: %q", s.all.String())
	}
	if !bytes.Contains(s.all.Bytes(), []byte("seen-by-all")) {
		t.Errorf("the answer was not shown: %q", s.all.String())
	}
}
