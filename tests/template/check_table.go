package template

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// checkTable: on demand, kept, recoverable, with the two sparse indexes of the
// table contract (D1, D7, O6).
func checkTable(s *Stack) []finding {
	var bad []finding
	r := s.Resources["Table"]
	p := r.Properties
	want(&bad, "Table DeletionPolicy", r.Rest["DeletionPolicy"], "Retain")
	want(&bad, "Table UpdateReplacePolicy", r.Rest["UpdateReplacePolicy"], "Retain")
	want(&bad, "Table BillingMode", p["BillingMode"], "PAY_PER_REQUEST")
	want(&bad, "Table StreamViewType", under(p, "StreamSpecification")["StreamViewType"], "NEW_AND_OLD_IMAGES")
	want(&bad, "Table TTL", fmt.Sprint(under(p, "TimeToLiveSpecification")), fmt.Sprint(map[string]any{"AttributeName": "ttl", "Enabled": true}))
	want(&bad, "Table point-in-time recovery", under(p, "PointInTimeRecoverySpecification")["PointInTimeRecoveryEnabled"], true)
	want(&bad, "Table keys", keys(p), "pk:HASH sk:RANGE ")
	if _, named := p["TableName"]; named {
		bad = append(bad, "Table has a fixed name: a restored table could not take its place")
	}
	indexes := map[string]string{}
	list, _ := p["GlobalSecondaryIndexes"].([]any)
	for _, e := range list {
		i, _ := e.(map[string]any)
		indexes[text(i["IndexName"])] = keys(i) + text(under(i, "Projection")["ProjectionType"])
	}
	want(&bad, "Table indexes", indexes, map[string]string{
		"open": "open_pk:HASH open_sk:RANGE KEYS_ONLY",
		"list": "list_pk:HASH list_sk:RANGE KEYS_ONLY",
	})
	return bad
}

func keys(of map[string]any) string {
	var out string
	list, _ := of["KeySchema"].([]any)
	for _, e := range list {
		k, _ := e.(map[string]any)
		out += text(k["AttributeName"]) + ":" + text(k["KeyType"]) + " "
	}
	return out
}

// ringing is what the stream has to let through (D5): inserted outbox rows,
// items that are raised or settled, calls that an item allowed and that ended.
// TestD5_FilterAndRings holds it against what store.Rings rings for.
var ringing = []string{
	`{"eventName":["INSERT"],"dynamodb":{"NewImage":{"kind":{"S":["outbox"]}}}}`,
	`{"eventName":["INSERT","MODIFY"],"dynamodb":{"NewImage":{"kind":{"S":["item"]},"open_pk":{"S":[{"exists":true}]}}}}`,
	`{"eventName":["MODIFY"],"dynamodb":{"NewImage":{"kind":{"S":["call"]},"item":{"S":[{"exists":true}]},"state":{"S":["ok","failed","unknown"]}}}}`,
}

// checkStream: only what rings, one bad record blocks nothing for long,
// what is given up is kept (D5).
func checkStream(s *Stack) []finding {
	var bad []finding
	n := 0
	for _, f := range s.functions() {
		for _, m := range f.Mappings {
			if m.Source != "Table.StreamArn" {
				continue
			}
			n++
			bad = append(bad, streamMapping(s, m)...)
		}
	}
	want(&bad, "number of stream mappings", n, 1)
	return bad
}

func streamMapping(s *Stack, m Mapping) []finding {
	var bad []finding
	want(&bad, m.Where+" StartingPosition", m.Props["StartingPosition"], "TRIM_HORIZON")
	want(&bad, m.Where+" BisectBatchOnFunctionError", m.Props["BisectBatchOnFunctionError"], true)
	if n := number(m.Props["MaximumRetryAttempts"]); n < 1 || n > 100 {
		bad = append(bad, fmt.Sprintf("%s MaximumRetryAttempts is %d, want 1 to 100", m.Where, n))
	}
	if n := number(m.Props["MaximumRecordAgeInSeconds"]); n < 60 || n > 6*3600 {
		bad = append(bad, fmt.Sprintf("%s MaximumRecordAgeInSeconds is %d, want 60 to 21600", m.Where, n))
	}
	dead := logical(text(under(m.Props, "DestinationConfig", "OnFailure")["Destination"]))
	want(&bad, m.Where+" failure destination", dead, "DispatchDeadQueue")
	if s.Resources[dead].Properties["FifoQueue"] != nil {
		bad = append(bad, m.Where+" failure destination is FIFO, which Lambda refuses")
	}
	filters, _ := under(m.Props, "FilterCriteria")["Filters"].([]any)
	if len(filters) != len(ringing) {
		return append(bad, fmt.Sprintf("%s has %d filters, want %d", m.Where, len(filters), len(ringing)))
	}
	for i, f := range filters {
		filter, _ := f.(map[string]any)
		var got, want any
		_ = json.Unmarshal([]byte(ringing[i]), &want)
		if err := json.Unmarshal([]byte(text(filter["Pattern"])), &got); err != nil || !reflect.DeepEqual(got, want) {
			bad = append(bad, fmt.Sprintf("%s filter is %s, want what rings only, %s", m.Where, text(filter["Pattern"]), ringing[i]))
		}
	}
	return bad
}
