package template

import (
	"sort"
	"strings"
)

// Function is one Lambda function, read from a SAM or an expanded template.
type Function struct {
	ID       string
	Timeout  int // seconds
	Role     string
	LogGroup string
	Env      map[string]string
	Mappings []Mapping
	Props    map[string]any
}

// Mapping is one event source mapping.
type Mapping struct {
	Where  string         // names it in findings
	Source string         // "TriggersQueue", or "Table.StreamArn"
	Props  map[string]any // as AWS::Lambda::EventSourceMapping has them
}

// Route is one method and path of the HTTP API and what answers it.
type Route struct {
	Method, Path, Function string
	TimeoutMillis          int
}

// functions lists all Lambda functions in order of their ids.
func (s *Stack) functions() []Function {
	var list []Function
	for _, id := range append(s.ofType("AWS::Serverless::Function"), s.ofType("AWS::Lambda::Function")...) {
		p := s.Resources[id].Properties
		f := Function{
			ID:       id,
			Timeout:  number(p["Timeout"]),
			Role:     logical(text(p["Role"])),
			LogGroup: logical(text(under(p, "LoggingConfig")["LogGroup"])),
			Env:      map[string]string{},
			Props:    p,
		}
		for k, v := range under(p, "Environment", "Variables") {
			f.Env[k] = text(v)
		}
		f.Mappings = s.mappings(id)
		list = append(list, f)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list
}

func (s *Stack) mappings(function string) []Mapping {
	var list []Mapping
	for name := range under(s.Resources[function].Properties, "Events") {
		e := under(s.Resources[function].Properties, "Events", name)
		props := under(e, "Properties")
		source := map[string]string{"SQS": "Queue", "DynamoDB": "Stream"}[text(e["Type"])]
		if source != "" {
			list = append(list, Mapping{Where: function + "." + name, Source: logical(text(props[source])), Props: props})
		}
	}
	for _, id := range s.ofType("AWS::Lambda::EventSourceMapping") {
		props := s.Resources[id].Properties
		if logical(text(props["FunctionName"])) == function {
			list = append(list, Mapping{Where: id, Source: logical(text(props["EventSourceArn"])), Props: props})
		}
	}
	return list
}

// routes lists what the HTTP API answers.
func (s *Stack) routes() []Route {
	var list []Route
	for _, id := range s.ofType("AWS::Serverless::Function") {
		for name := range under(s.Resources[id].Properties, "Events") {
			e := under(s.Resources[id].Properties, "Events", name)
			p := under(e, "Properties")
			if text(e["Type"]) == "HttpApi" {
				list = append(list, Route{Method: strings.ToUpper(text(p["Method"])), Path: text(p["Path"]), Function: id, TimeoutMillis: number(p["TimeoutInMillis"])})
			}
		}
	}
	for _, id := range s.ofType("AWS::ApiGatewayV2::Api") {
		list = append(list, bodyRoutes(under(s.Resources[id].Properties, "Body", "paths"))...)
	}
	return list
}

func bodyRoutes(paths map[string]any) []Route {
	var list []Route
	for path := range paths {
		for method := range under(paths, path) {
			in := under(paths, path, method, "x-amazon-apigateway-integration")
			_, uri, _ := strings.Cut(text(in["uri"]), "/functions/")
			r := Route{Method: strings.ToUpper(method), Path: path, Function: logical(strings.TrimSuffix(uri, "/invocations")), TimeoutMillis: number(in["timeoutInMillis"])}
			if method == "x-amazon-apigateway-any-method" {
				r.Method = "ANY"
			}
			list = append(list, r)
		}
	}
	return list
}
