package catalog_test

import "encoding/json"

func jsonText(s string) (json.RawMessage, error) { return json.Marshal(s) }
