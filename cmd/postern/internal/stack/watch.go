package stack

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
)

// Reconciled is when the reconciler last wrote its line, looking back as far as
// said; zero if it did not.
func (s *Stack) Reconciled(ctx context.Context, since time.Time) (time.Time, error) {
	group, err := s.Physical(ctx, "WakeLog")
	if err != nil {
		return time.Time{}, err
	}
	var last time.Time
	pages := cloudwatchlogs.NewFilterLogEventsPaginator(cloudwatchlogs.NewFromConfig(s.AWS), &cloudwatchlogs.FilterLogEventsInput{
		LogGroupName: aws.String(group), FilterPattern: aws.String(`"reconciled"`), StartTime: aws.Int64(since.UnixMilli())})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return last, fmt.Errorf("log group %s: %w", group, err)
		}
		for _, e := range page.Events {
			if at := time.UnixMilli(aws.ToInt64(e.Timestamp)).UTC(); at.After(last) {
				last = at
			}
		}
	}
	return last, nil
}
