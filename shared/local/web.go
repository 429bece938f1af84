package local

// web wires the tool that reads public pages.
func (r *Runtime) web() error { return nil }
