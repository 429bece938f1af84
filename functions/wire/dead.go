package wire

import "strings"

// DeadURL is the address, or the ARN, of a queue's dead-letter queue: the
// template names every queue NAME and NAME-dead.
func DeadURL(queue string) string {
	if name, ok := strings.CutSuffix(queue, ".fifo"); ok {
		return name + "-dead.fifo"
	}
	return queue + "-dead"
}
