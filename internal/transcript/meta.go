package transcript

// Leaves reports whether calls of a tool are left out by a [Reader]: see metaTool.
func Leaves(tool string) bool { return metaTool(tool) }

// metaTool reports whether a tool only serves the agent's own book-keeping: to-do
// lists, plans, modes, questions to itself. It is not part of the work.
func metaTool(name string) bool {
	switch name {
	case "TodoWrite", "TodoRead", "ExitPlanMode", "EnterPlanMode", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "TaskStop", // Claude Code
		"TaskOutput", "BashOutput", "AskUserQuestion", "ToolSearch", "StructuredOutput", "ScheduleWakeup",
		"update_plan", "request_user_input", "get_goal", "create_goal", "update_goal", "wait", "tool_search", // Codex
		"report_intent", "update_todo", "ask_user", "exit_plan_mode", "task_complete", "fetch_copilot_cli_documentation", "read_agent", "list_agents", // Copilot CLI
		"write_todos", "enter_plan_mode", "save_memory", "tracker_create_task", "tracker_update_task", "complete_task", "update_topic", // Gemini CLI
		"todo_write", "todowrite", "todoread", "question", "ask_user_question", // Qwen, opencode
		"manage_todo_list", "todo_list", "thinking", "introspect", "ask_followup_question", "attempt_completion", "plan_mode_respond", "update_todo_list": // VS Code, Amazon Q, Cline
		return true
	}
	return false
}
