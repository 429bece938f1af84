package bedrock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	smithy "github.com/aws/smithy-go/document"

	"github.com/postern-dev/postern/shared/domain/model"
)

const nameLimit = 64 // characters of a tool name

// input is the request in the provider's shape. What is said in a row by one
// side is one message there, results before words.
func input(r model.Request, names model.Names) (*bedrockruntime.ConverseInput, error) {
	out := &bedrockruntime.ConverseInput{ModelId: aws.String(r.Model)}
	if r.Model == "" {
		return nil, errors.New("no model named")
	}
	if err := model.Check(r.Messages); err != nil {
		return nil, err
	}
	if r.System != "" {
		out.System = []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: r.System}}
	}
	if r.MaxTokens > 0 {
		out.InferenceConfig = &types.InferenceConfiguration{MaxTokens: aws.Int32(int32(min(r.MaxTokens, math.MaxInt32)))}
	}
	for _, m := range r.Messages {
		role := types.ConversationRoleUser
		if m.Role == model.Assistant {
			role = types.ConversationRoleAssistant
		}
		if n := len(out.Messages); n == 0 || out.Messages[n-1].Role != role {
			out.Messages = append(out.Messages, types.Message{Role: role})
		}
		content, err := blocks(m, names)
		if err != nil {
			return nil, err
		}
		last := &out.Messages[len(out.Messages)-1]
		last.Content = append(last.Content, content...)
	}
	var err error
	out.ToolConfig, err = tools(model.Offered(r), names)
	return out, err
}

func blocks(m model.Message, names model.Names) ([]types.ContentBlock, error) {
	if m.Role == model.Result {
		// No status: only some families of models take one, and the text says it.
		return []types.ContentBlock{&types.ContentBlockMemberToolResult{Value: types.ToolResultBlock{
			ToolUseId: aws.String(m.CallID),
			Content:   []types.ToolResultContentBlock{&types.ToolResultContentBlockMemberText{Value: m.Text}}}}}, nil
	}
	var out []types.ContentBlock
	if m.Text != "" {
		out = append(out, &types.ContentBlockMemberText{Value: m.Text})
	}
	for _, call := range m.Calls {
		arguments, err := doc(call.Arguments)
		if err != nil {
			return nil, fmt.Errorf("call %s: %w", call.ID, err)
		}
		out = append(out, &types.ContentBlockMemberToolUse{Value: types.ToolUseBlock{
			ToolUseId: aws.String(call.ID), Name: aws.String(names.Out(call.Tool)), Input: arguments}})
	}
	return out, nil
}

func tools(offered []model.Tool, names model.Names) (*types.ToolConfiguration, error) {
	if len(offered) == 0 {
		return nil, nil
	}
	out := &types.ToolConfiguration{}
	for _, t := range offered {
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		value, err := doc(schema)
		if err != nil {
			return nil, fmt.Errorf("the schema of tool %s is not a JSON object", t.Name)
		}
		spec := types.ToolSpecification{Name: aws.String(names.Out(t.Name)), InputSchema: &types.ToolInputSchemaMemberJson{Value: value}}
		if t.Description != "" {
			spec.Description = aws.String(t.Description)
		}
		out.Tools = append(out.Tools, &types.ToolMemberToolSpec{Value: spec})
	}
	return out, nil
}

// doc makes a document of a JSON object, its numbers as they were written.
func doc(raw json.RawMessage) (document.Interface, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var fields map[string]any
	if err := d.Decode(&fields); err != nil || fields == nil {
		return nil, errors.New("not a JSON object")
	}
	return document.NewLazyDocument(exact(fields)), nil
}

func exact(value any) any {
	switch v := value.(type) {
	case json.Number:
		return smithy.Number(v)
	case map[string]any:
		for key := range v {
			v[key] = exact(v[key])
		}
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	}
	return value
}
