// Package repotest holds the rules of this repository that a reviewer should not have to check by
// hand: which package may import which, how long a file may be, that no test sleeps, that links in
// the docs lead somewhere, and that the CI's pieces are where they belong. Each rule is an ordinary
// test; its failure says what to do instead.
package repotest
