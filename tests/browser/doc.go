// Package browser clicks through the panel in a real Chromium, against a whole
// Postern in this process: flows, keyboard, freshness, what must not happen,
// and accessibility (Q5, U5). One browser and one runtime serve all tests;
// each test is a person of his own with items of his own.
//
// It holds tests only. Without Chromium they are left out with one line;
// infra/tools/chromium.sh brings it and makes leaving out a failure.
package browser
