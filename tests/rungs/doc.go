// Package rungs tries the first check of the two rungs that need something that
// a plain machine lacks: LocalStack and a cloud account (D10). Each names all
// that is missing, ends with a code, and leaves nothing behind.
package rungs
