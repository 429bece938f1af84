package main

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"time"
)

// The picture's measures, in its own units.
const (
	width, height    = 760, 420
	left, right      = 70, 170
	above, below     = 50, 60
	inside, insideUp = width - left - right, height - above - below
)

type curve struct {
	name, colour string
	of           func(step) float64
}

var curves = []curve{
	{"answered, p50", "#2a78d6", func(s step) float64 { return s.Ack50 }},
	{"answered, p99", "#164a8a", func(s step) float64 { return s.Ack99 }},
	{"judged, p50", "#d97a2b", func(s step) float64 { return s.Judged50 }},
	{"judged, p99", "#8f4a10", func(s step) float64 { return s.Judged99 }},
}

// draw makes the curve as SVG: the rate along, the latency up, both by powers.
func draw(all []step, each time.Duration, t *target) []byte {
	var b bytes.Buffer
	f := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	f(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" role="img" aria-label="Latency of webhooks by rate on %s">`, width, height, t.name)
	f(`<rect width="%d" height="%d" fill="white"/>`, width, height)
	f(`<text x="%d" y="20" font-size="14">Signed webhooks to %s: time to the answer and to the judgment</text>`, left, t.name)
	f(`<text x="%d" y="37" fill="#555">%s a step, %d shared processors, the sender on the same; made by %s</text>`, left, each, runtime.NumCPU(), t.made)
	x, y, bottom := scales(all)
	for _, ms := range []float64{0.1, 1, 10, 100, 1000, 10_000, 100_000} {
		if at := y(ms); ms >= bottom && at >= above-0.1 {
			f(`<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`, left, at, left+inside, at, left-6, at+4, time.Duration(ms*float64(time.Millisecond)))
		}
	}
	for _, s := range all {
		f(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#eee"/><text x="%.1f" y="%d" text-anchor="middle">%d</text>`, x(s), above, x(s), above+insideUp, x(s), above+insideUp+18, s.Rate)
	}
	f(`<text x="%d" y="%d" text-anchor="middle">webhooks a second</text>`, left+inside/2, height-16)
	for i, c := range curves {
		path := ""
		for j, s := range all {
			path += fmt.Sprintf("%s%.1f,%.1f ", map[bool]string{true: "M", false: "L"}[j == 0], x(s), y(c.of(s)))
		}
		f(`<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`, path, c.colour)
		for _, s := range all {
			f(`<circle cx="%.1f" cy="%.1f" r="3" fill="%s"><title>%s at %d a second: %.1f ms</title></circle>`, x(s), y(c.of(s)), c.colour, c.name, s.Rate, c.of(s))
		}
		at := above + 20 + 20*i
		f(`<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="2"/><text x="%d" y="%d">%s</text>`, left+inside+14, at, left+inside+34, at, c.colour, left+inside+40, at+4, c.name)
	}
	f(`</svg>`)
	return b.Bytes()
}

// scales place a step along and a latency up; bottom is the least latency that
// has its place.
func scales(all []step) (x func(step) float64, y func(float64) float64, bottom float64) {
	low, high := math.Inf(1), 0.0
	for _, s := range all {
		for _, c := range curves {
			if v := c.of(s); v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if high == 0 {
		low, high = 1, 10
	}
	least, top := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	top = max(top, least+1)
	first, last := math.Log(float64(all[0].Rate)), math.Log(float64(all[len(all)-1].Rate))
	if last <= first {
		last = first + 1
	}
	return func(s step) float64 {
			return left + 20 + (inside-40)*(math.Log(float64(s.Rate))-first)/(last-first)
		}, func(ms float64) float64 {
			return above + insideUp*(1-(math.Log10(max(ms, math.Pow10(int(least))))-least)/(top-least))
		}, math.Pow10(int(least))
}
