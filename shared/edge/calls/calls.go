// Package calls names the AWS calls that a function can make (D2).
//
// Each function lists them in its calls.go, beside its wiring. tests/template
// holds that list against the function's role in template.yaml, both ways, and
// Guard holds the running function to it. The package knows no function and
// makes no call itself.
//
// A list is built of the words below and of nothing else: tests/template reads
// calls.go as source, because a main package cannot be imported.
package calls

// Call is one action as IAM names it, on one resource.
type Call struct {
	Service  string // IAM's prefix: dynamodb, sqs, scheduler, iam, secretsmanager, bedrock
	Action   string // IAM's name, not the SDK's: a transaction needs its parts
	Resource string // logical name in template.yaml; "X/..." for what lies under X
}

// Join makes one list of several.
func Join(lists ...[]Call) []Call {
	var all []Call
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// Table is what store/dynamo does to the table: strong reads, queries over the
// table and its indexes, and transactions.
func Table() []Call {
	return Join(
		each("dynamodb", "Table", "GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "Query"),
		each("dynamodb", "Table/index/*", "Query"),
	)
}

// Send puts messages on a queue.
func Send(queue string) []Call { return each("sqs", queue, "SendMessage") }

// Shorten brings a message back sooner after a transient failure (D4).
func Shorten(queue string) []Call { return each("sqs", queue, "ChangeMessageVisibility") }

// Drain takes messages off a queue by hand, as a redrive does. What an event
// source mapping reads needs no mention: the template says it.
func Drain(queue string) []Call { return each("sqs", queue, "ReceiveMessage", "DeleteMessage") }

// Secret reads one secret, named by its parameter or resource.
func Secret(name string) []Call { return each("secretsmanager", name, "GetSecretValue") }

// Converse asks the deployment's Bedrock model: the model or inference profile
// that the parameter names, and the models that the profile leads to. IAM
// judges it as InvokeModel.
// https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html
func Converse() []Call {
	return Join(
		each("bedrock", "BedrockModel/model", "InvokeModel"),
		each("bedrock", "BedrockModel/profile", "InvokeModel"),
		each("bedrock", "BedrockModel/profile/*", "InvokeModel"),
	)
}

// Schedule makes and removes one-time schedules in the stack's group, which
// take the role that rings the wakes queue (D6).
func Schedule() []Call {
	return Join(
		each("scheduler", "ScheduleGroup/*", "CreateSchedule", "DeleteSchedule"),
		each("iam", "ScheduleRole", "PassRole"),
	)
}

func each(service, resource string, actions ...string) []Call {
	list := make([]Call, 0, len(actions))
	for _, a := range actions {
		list = append(list, Call{Service: service, Action: a, Resource: resource})
	}
	return list
}
