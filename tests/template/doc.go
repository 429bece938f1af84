// Package template looks at template.yaml with the eyes of whoever deploys it
// and asserts what no linter and no emulator checks: roles against calls,
// visibility against time-outs, a dead-letter queue and an alarm for each
// queue, schedule expressions, filters, wires (D1 to D7, D10, D12).
//
// It reads the template itself with nothing but Go, and the expanded one too
// where POSTERN_EXPANDED_TEMPLATE names it (make lint-template). It deploys
// nothing and knows no AWS client.
package template
