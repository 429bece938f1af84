package calls

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// server answers every AWS call with an empty object and counts them.
func server(t *testing.T) (aws.Config, *int) {
	t.Helper()
	var n int
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = w.Write([]byte(`{}`))
	}))
	t.Cleanup(s.Close)
	return aws.Config{
		Region:       "us-east-1",
		BaseEndpoint: aws.String(s.URL),
		Credentials:  credentials.NewStaticCredentialsProvider("a", "b", ""),
	}, &n
}

func TestGuardLetsDeclaredCallsPass(t *testing.T) {
	t.Parallel()
	cfg, n := server(t)
	cfg.APIOptions = append(cfg.APIOptions, Guard(Join(Table(), Drain("TriggersDeadQueue"))))
	_, err := dynamodb.NewFromConfig(cfg).TransactWriteItems(context.Background(), &dynamodb.TransactWriteItemsInput{
		TransactItems: []types.TransactWriteItem{},
	})
	if err != nil {
		t.Fatalf("a declared transaction was refused: %v", err)
	}
	if _, err := sqs.NewFromConfig(cfg).ReceiveMessage(context.Background(), &sqs.ReceiveMessageInput{QueueUrl: aws.String("q")}); err != nil {
		t.Fatalf("a declared receive was refused: %v", err)
	}
	if *n != 2 {
		t.Fatalf("%d requests reached the server, want 2", *n)
	}
}

func TestGuardRefusesWhatIsNotDeclared(t *testing.T) {
	t.Parallel()
	cfg, n := server(t)
	cfg.APIOptions = append(cfg.APIOptions, Guard(each("dynamodb", "Table", "GetItem", "PutItem", "UpdateItem", "DeleteItem")))
	_, sendErr := sqs.NewFromConfig(cfg).SendMessage(context.Background(), &sqs.SendMessageInput{QueueUrl: aws.String("q"), MessageBody: aws.String("m")})
	_, txErr := dynamodb.NewFromConfig(cfg).TransactWriteItems(context.Background(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{}})
	for want, err := range map[string]error{"sqs:SendMessage": sendErr, "dynamodb:ConditionCheckItem": txErr} {
		var u *UndeclaredError
		if !errors.As(err, &u) || u.Call != want {
			t.Errorf("got %v, want a refusal that names %s", err, want)
		}
	}
	if *n != 0 {
		t.Fatalf("%d requests were sent in spite of the refusal", *n)
	}
}

func TestNeeds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		service, operation string
		want               int
		first              string
	}{
		{"DynamoDB", "TransactWriteItems", 4, "dynamodb:PutItem"},
		{"SQS", "SendMessageBatch", 1, "sqs:SendMessage"},
		{"Secrets Manager", "GetSecretValue", 1, "secretsmanager:GetSecretValue"},
		{"Scheduler", "CreateSchedule", 1, "scheduler:CreateSchedule"},
		{"Bedrock Runtime", "Converse", 1, "bedrock:InvokeModel"},
		{"S3", "GetObject", 1, "S3:GetObject"},
	} {
		got := Needs(c.service, c.operation)
		if len(got) != c.want || got[0] != c.first {
			t.Errorf("Needs(%s, %s) = %v", c.service, c.operation, got)
		}
	}
}
