//go:build race

package document_test

const raceDetector = true
