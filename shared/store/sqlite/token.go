package sqlite

import "time"

// tokenWindow is how long a token is kept at least; DynamoDB keeps them for 10
// minutes.
const tokenWindow = 15 * time.Minute

const (
	pruneEvery = 256 // commits between two looks at old tokens
	pruneMax   = 1024
)

// dropToken takes back the token of a commit that is refused after all.
func (db *DB) dropToken(j *job) error {
	_, err := db.writer.write.dropToken.ExecContext(background, j.tx.Token)
	return err
}

// prune deletes the oldest tokens that are past their window, now and then and
// a bounded number at a time. It is part of the batch's transaction.
func (db *DB) prune(commits int) error {
	if db.sincePrune += commits; db.sincePrune < pruneEvery {
		return nil
	}
	db.sincePrune = 0
	rows, err := db.writer.write.oldTokens.QueryContext(background, pruneMax)
	if err != nil {
		return err
	}
	defer rows.Close()
	oldest := db.clock().Add(-tokenWindow).UnixMicro()
	last := int64(0)
	for rows.Next() {
		var id, at int64
		if err := rows.Scan(&id, &at); err != nil {
			return err
		}
		if at >= oldest {
			break
		}
		last = id
	}
	if err := rows.Err(); err != nil || last == 0 {
		return err
	}
	rows.Close()
	_, err = db.writer.write.pruneTokens.ExecContext(background, last)
	return err
}
