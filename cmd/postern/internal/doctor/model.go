package doctor

import (
	"context"
	"errors"

	"github.com/postern-dev/postern/shared/domain/model"
)

// advice is what to do when a model does not answer, by its provider.
type advice struct{ refused, name, silent string }

// adviceFor says it for the target's provider. Bedrock has no key: it is asked
// with the credentials of whoever asks (S11).
// https://docs.aws.amazon.com/bedrock/latest/userguide/model-access.html
func (d *doctor) adviceFor(name string) advice {
	if d.Provider == "bedrock" {
		return advice{
			refused: "doctor asks with your own credentials: they need bedrock:InvokeModel on it, as the turn function's role has. " +
				"If they have, the account has no access to the model: open it once in the model catalog of Bedrock's console, as somebody with aws-marketplace:Subscribe and in this Region. " +
				"Anthropic's models want a use case form first. No policy of the organization may deny the Regions that an inference profile leads to.",
			name: "Is " + name + " offered in this Region? Newer models are called by an inference profile only, whose id begins with global., us., eu. or the like. " +
				"Correct the deployment's parameter BedrockModel.",
			silent: "Is Bedrock offered in this Region, and does its endpoint answer from here?",
		}
	}
	return advice{
		refused: "Is it valid, and is there credit? postern setup model " + d.Stack,
		name:    "Is " + name + " the provider's own name of a model that this key may use? Correct the deployment's parameter Model.",
		silent:  "Correct base_url in the model's secret: postern setup model " + d.Stack,
	}
}

// model asks the deployment's model for a word.
func (d *doctor) model(ctx context.Context) {
	if d.Model == nil {
		d.note("model.none", "No model is configured: no hosted agent runs. Agents elsewhere do not need one.", "")
		return
	}
	m, name, err := d.Model(ctx)
	if err != nil {
		d.bad("model.secret", "The model cannot be made: "+err.Error()+".", "postern setup model "+d.Stack+", or correct the deployment's parameter Model, provider:model.")
		return
	}
	if m == nil {
		d.note("model.played", "The model is played by a script: no real one is asked.", "")
		return
	}
	_, err = m.Complete(ctx, model.Request{Model: name, MaxTokens: 16, System: "Answer with one word.",
		Messages: []model.Message{{Role: model.User, Text: "Are you there?"}}})
	var e *model.Error
	switch do := d.adviceFor(name); {
	case err == nil:
		d.ok("model", "The model "+name+" answers.")
	case errors.As(err, &e) && e.Kind == model.Refused:
		d.bad("model.key", d.refuses()+err.Error()+".", do.refused)
	case errors.As(err, &e) && e.Kind == model.BadRequest:
		d.bad("model.name", "The model's provider does not take the request: "+err.Error()+".", do.name)
	case errors.As(err, &e) && (e.Kind == model.Throttled || e.Kind == model.Overloaded):
		d.note("model.busy", "The model's provider has too much to do just now: "+err.Error()+".", "Agents wait and try again.")
	default:
		d.bad("model.silent", "The model does not answer: "+err.Error()+".", do.silent)
	}
}

func (d *doctor) refuses() string {
	if d.Provider == "bedrock" {
		return "Bedrock does not let this account or these credentials use the model: "
	}
	return "The model's provider refuses the key: "
}
