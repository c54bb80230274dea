package doctor

// Areas are the areas of findings, in the order in which they are shown.
func Areas() []string {
	return []string{areaSentinel, areaAgents, areaRules, areaJudges, areaLock, areaLog, areaState, areaNotes}
}
