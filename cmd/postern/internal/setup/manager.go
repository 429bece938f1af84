package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"
)

// Manager is Secrets Manager. Tag, if set, marks the secrets it makes.
type Manager struct {
	Client     *secretsmanager.Client
	Tag, Value string
}

// Read gives what a secret holds. One without a value is empty.
func (m Manager) Read(ctx context.Context, name string) (string, map[string]string, error) {
	out, err := m.Client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: aws.String(name)})
	var none *types.ResourceNotFoundException
	if errors.As(err, &none) {
		return m.without(ctx, name)
	}
	if err != nil {
		return "", nil, fmt.Errorf("secret %s: read: %w", name, m.say(err, name))
	}
	values := map[string]string{}
	if json.Unmarshal([]byte(aws.ToString(out.SecretString)), &values) != nil {
		return "", nil, fmt.Errorf("secret %s holds something else than a JSON object of strings; set it by hand, or take another name", name)
	}
	return aws.ToString(out.ARN), values, nil
}

// without tells a secret that has no value yet from one that is not there.
func (m Manager) without(ctx context.Context, name string) (string, map[string]string, error) {
	out, err := m.Client.DescribeSecret(ctx, &secretsmanager.DescribeSecretInput{SecretId: aws.String(name)})
	var none *types.ResourceNotFoundException
	if errors.As(err, &none) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("secret %s: look: %w", name, m.say(err, name))
	}
	return aws.ToString(out.ARN), nil, nil
}

// Write stores values under a name or ARN.
func (m Manager) Write(ctx context.Context, name string, values map[string]string) (string, error) {
	raw, err := json.Marshal(values)
	if err != nil {
		return "", err
	}
	put, err := m.Client.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{SecretId: aws.String(name), SecretString: aws.String(string(raw))})
	if err == nil {
		return aws.ToString(put.ARN), nil
	}
	var none *types.ResourceNotFoundException
	if !errors.As(err, &none) {
		return "", fmt.Errorf("secret %s: write: %w", name, m.say(err, name))
	}
	in := &secretsmanager.CreateSecretInput{Name: aws.String(name), Description: aws.String("A connector's keys, for Postern"), SecretString: aws.String(string(raw))}
	if m.Tag != "" {
		in.Tags = []types.Tag{{Key: aws.String(m.Tag), Value: aws.String(m.Value)}}
	}
	made, err := m.Client.CreateSecret(ctx, in)
	if err != nil {
		return "", fmt.Errorf("secret %s: make: %w", name, m.say(err, name))
	}
	return aws.ToString(made.ARN), nil
}

// say adds what to do where the answer alone does not tell.
func (m Manager) say(err error, name string) error {
	var state *types.InvalidRequestException
	if errors.As(err, &state) {
		return fmt.Errorf("%w; if it is being deleted, aws secretsmanager restore-secret --secret-id %s brings it back", err, name)
	}
	return err
}
