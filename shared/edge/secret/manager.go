package secret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// Client is the part of the SDK's client that is used (D2).
type Client interface {
	GetSecretValue(context.Context, *secretsmanager.GetSecretValueInput, ...func(*secretsmanager.Options)) (*secretsmanager.GetSecretValueOutput, error)
}

// Manager reads from AWS Secrets Manager; names are ids or ARNs there.
type Manager struct{ Client Client }

// Read gives the current version of a secret.
func (m Manager) Read(ctx context.Context, name string) (map[string]string, error) {
	out, err := m.Client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: aws.String(name)})
	if err != nil {
		return nil, fmt.Errorf("secret %s: read: %w", name, err)
	}
	if out.SecretString == nil {
		return nil, fmt.Errorf("secret %s: it holds bytes; set a JSON object of strings", name)
	}
	values, err := object([]byte(*out.SecretString))
	if err != nil {
		return nil, fmt.Errorf("secret %s: %w", name, err)
	}
	return values, nil
}

// object reads a JSON object of strings. The parser's own words are left out:
// they quote what they stumble over.
func object(raw []byte) (map[string]string, error) {
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return nil, errors.New("it is no JSON object; set one of strings")
	}
	values := make(map[string]string, len(fields))
	for key, value := range fields {
		text, ok := value.(string)
		if !ok {
			return nil, fmt.Errorf("%s is no string; set one", key)
		}
		values[key] = text
	}
	return values, nil
}
