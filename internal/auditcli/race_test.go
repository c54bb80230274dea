//go:build race

package auditcli_test

const raceDetector = true
