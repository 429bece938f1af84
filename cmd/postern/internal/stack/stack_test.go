package stack

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// functions reads which functions of the template have a variable.
func functions(t *testing.T, variable string) (found []string) {
	t.Helper()
	raw, err := os.ReadFile("../../../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile(`(?m)^  ([A-Z][A-Za-z]*Function):\n(?:(?:    .*)?\n)*`).FindAllStringSubmatch(string(raw), -1) {
		if strings.Contains(block[0], variable+":") {
			found = append(found, block[1])
		}
	}
	slices.Sort(found)
	return found
}

// D3: a rotated secret is read again by exactly the functions that read it.
func TestD3_ReadersAreTheTemplates(t *testing.T) {
	t.Parallel()
	for connector, readers := range Readers {
		want := functions(t, "POSTERN_"+strings.ToUpper(connector)+"_SECRET")
		if got := slices.Sorted(slices.Values(readers)); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: restarts %v, read by %v", connector, got, want)
		}
	}
}

// D4: every dead-letter queue of the template has its name here.
func TestD4_EveryDeadLetterQueueIsNamed(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range regexp.MustCompile(`(?m)^  ([A-Za-z]+DeadQueueUrl):`).FindAllStringSubmatch(string(raw), -1) {
		want = append(want, m[1])
	}
	for _, name := range Names {
		got = append(got, outputs[name]+"DeadQueueUrl")
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("asks %v, the template has %v", got, want)
	}
}

// S11: the model is the one that the template gives the functions.
func TestS11_Model(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]map[string]string{
		"":                {},
		"bedrock:a.b-1:0": {"BedrockModel": "a.b-1:0"},
		"openai:m":        {"BedrockModel": "a.b-1:0", "Model": "openai:m"},
	} {
		if got := (&Stack{Parameters: p}).Model(); got != want {
			t.Errorf("%v gives %q, want %q", p, got, want)
		}
	}
}
