// Package report writes the record of an audit for people and for programs:
// Markdown, JSON, SARIF and one page of HTML, and compares two records.
//
// Everything comes from [audit.Record]: what is not in the record is in no
// report. Most of a record's words are hostile: file names, snippets, commit
// messages, and the arguments of models that have read them. Each format shows
// them as text, so that none of them becomes a link, an image, markup, a
// heading, a command to a terminal, or turns the text around it.
package report
