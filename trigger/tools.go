package trigger

import sentinel "github.com/agentsentinel/sentinel"

// Defaults returns the built-in tool names and what they do, for documentation
// and diagnosis. The map is the caller's own.
func Defaults() map[string]sentinel.Trigger {
	m := map[string]sentinel.Trigger{}
	for _, name := range defaultNames() {
		m[name], _ = defaultTrigger(name)
	}
	return m
}

// defaultTrigger knows the tools of the agents by name: those of the reference's
// table, and those that the agents' present versions send to hooks. It is a
// switch so that a process that maps one call builds no table.
func defaultTrigger(name string) (sentinel.Trigger, bool) {
	switch name {
	case "Write", "Edit", "MultiEdit", "NotebookEdit", // Claude Code
		"create", "edit", "str_replace_editor", "apply_patch", // Copilot CLI, Codex
		"create_file", "replace_string_in_file", "multi_replace_string_in_file", "insert_edit_into_file",
		"edit_notebook_file", "create_new_jupyter_notebook", "create_directory", "memory", // Copilot in VS Code
		"edit_file", "search_replace", "delete_file", "edit_notebook", "StrReplace", "TabWrite", "Delete", "ApplyPatch", // Cursor
		"write_to_file", "replace_file_content", "multi_replace_file_content", // Windsurf
		"replace_in_file", "new_rule", "editor", // Cline
		"fs_write", "write", "fsWrite", "fsAppend", "strReplace", "deleteFile", // Amazon Q, Kiro
		"write_file", "replace", // Gemini CLI, Qwen Code
		"multiedit", "patch", // opencode
		"str_replace_based_edit_tool":
		return sentinel.FileWrite, true
	case "Bash", "PowerShell", "Monitor", // Claude Code
		"bash", "powershell", "write_bash", "write_powershell", // Copilot CLI
		"run_in_terminal", "send_to_terminal", "create_and_run_task", // Copilot in VS Code
		"run_terminal_cmd", "run_terminal_command", "Shell", "WriteShellStdin", // Cursor
		"run_command", "send_command_input", // Windsurf
		"execute_command", "run_commands", // Cline
		"execute_bash", "execute_cmd", "shell", "executeBash", "executePwsh", "use_aws", // Amazon Q, Kiro
		"run_shell_command",                                                            // Gemini CLI, Qwen Code
		"local_shell", "exec_command", "write_stdin", "unified_exec", "container.exec": // Codex
		return sentinel.Bash, true
	case "Read", "NotebookRead", // Claude Code, Cursor
		"view",      // Copilot CLI
		"read_file", // VS Code, Cursor, Cline, Gemini CLI
		"read_many_files", "read_files",
		"view_file", "view_file_outline", // Windsurf
		"fs_read", "read", "readFile", "readMultipleFiles", // Amazon Q, Kiro, opencode
		"view_image", // Codex
		"read_notebook_cell_output", "copilot_getNotebookSummary":
		return sentinel.FileRead, true
	case "use_mcp_tool": // Cline
		return sentinel.MCP, true
	}
	return "", false
}

// defaultNames lists the names of defaultTrigger; a test holds them together.
func defaultNames() []string {
	return []string{
		"ApplyPatch", "Bash", "Delete", "Edit", "Monitor", "MultiEdit", "NotebookEdit", "NotebookRead", "PowerShell", "Read", "Shell",
		"StrReplace", "TabWrite", "Write", "WriteShellStdin", "apply_patch", "bash", "container.exec", "copilot_getNotebookSummary", "create",
		"create_and_run_task", "create_directory", "create_file", "create_new_jupyter_notebook", "deleteFile", "delete_file", "edit",
		"edit_file", "edit_notebook", "edit_notebook_file", "editor", "execute_bash", "execute_cmd", "execute_command", "executeBash",
		"executePwsh", "exec_command", "fsAppend", "fsWrite", "fs_read", "fs_write", "insert_edit_into_file", "local_shell", "memory",
		"multi_replace_file_content", "multi_replace_string_in_file", "multiedit", "new_rule", "patch", "powershell", "read", "readFile",
		"readMultipleFiles", "read_file", "read_files", "read_many_files", "read_notebook_cell_output", "replace", "replace_file_content",
		"replace_in_file", "replace_string_in_file", "run_command", "run_commands", "run_in_terminal", "run_shell_command",
		"run_terminal_cmd", "run_terminal_command", "search_replace", "send_command_input", "send_to_terminal", "shell", "strReplace",
		"str_replace_based_edit_tool", "str_replace_editor", "unified_exec", "use_aws", "use_mcp_tool", "view", "view_file", "view_file_outline",
		"view_image", "write", "write_bash", "write_file", "write_powershell", "write_stdin", "write_to_file",
	}
}

// isHarmless knows the agents' tools that neither write nor run anything nor
// read one named file: searching, planning, asking, fetching, sub-agents (whose
// own tool calls come as events of their own).
func isHarmless(name string) bool {
	switch name {
	case // Claude Code
		"Agent", "AskUserQuestion", "BashOutput", "Brief", "Config", "CronCreate", "CronDelete", "CronList", "EnterPlanMode", "EnterWorktree",
		"ExitPlanMode", "ExitWorktree", "Glob", "Grep", "KillBash", "KillShell", "LS", "LSP", "ListMcpResources", "ListMcpResourcesTool",
		"ReadMcpResource", "ReadMcpResourceTool", "ScheduleWakeup", "SendMessage", "Skill", "Sleep", "SlashCommand", "StructuredOutput", "Task",
		"TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "TodoRead", "TodoWrite",
		"ToolSearch", "WebFetch", "WebSearch", "SendUserMessage", "SendUserFile":
		return true
	case // Copilot CLI and Copilot in VS Code
		"ask_user", "fetch_copilot_cli_documentation", "glob", "grep", "list_agents", "list_bash", "list_powershell", "read_agent", "read_bash",
		"read_powershell", "report_intent", "rg", "skill", "stop_bash", "stop_powershell", "store_memory", "task", "task_complete", "update_todo",
		"web_fetch", "web_search", "fetch_webpage", "file_search", "get_changed_files", "get_errors", "get_search_view_results",
		"get_terminal_output", "get_vscode_api", "github_repo", "grep_search", "kill_terminal", "list_code_usages", "list_dir",
		"manage_todo_list", "runSubagent", "run_tests", "semantic_search", "terminal_last_command", "terminal_selection", "test_failure", "think":
		return true
	case // Cursor and Windsurf
		"Fetch", "FetchMcpResource", "List", "ReadLints", "codebase_search", "create_diagram", "fetch_rules", "read_lints",
		"todo_write", "update_memory", "browser_preview", "check_deploy_status", "command_status", "find_by_name", "list_resources",
		"read_resource", "read_url_content", "search_in_file", "search_web", "suggested_responses", "todo_list", "trajectory_search",
		"view_code_item", "view_content_chunk":
		return true
	case // Cline
		"access_mcp_resource", "ask_followup_question", "ask_question", "attempt_completion", "browser_action", "condense", "fetch_web_content",
		"focus_chain", "list_code_definition_names", "list_files", "load_mcp_documentation", "new_task", "plan_mode_respond", "report_bug",
		"search_codebase", "search_files", "spawn_agent", "submit_and_exit", "summarize_task", "use_skill":
		return true
	case // Amazon Q and Kiro
		"dummy", "gh_issue", "grepSearch", "fileSearch", "introspect", "knowledge", "listDirectory", "report_issue", "thinking", "userInput":
		return true
	case // Gemini CLI and Qwen Code
		"activate_skill", "cli_help", "complete_task", "delegate_to_agent", "enter_plan_mode", "exit_plan_mode", "get_internal_docs",
		"google_web_search", "invoke_agent", "list_directory", "save_memory", "search_file_content", "write_todos", "update_topic",
		"agent", "ask_user_question", "task_create", "task_get", "task_list", "task_output", "task_stop", "task_update":
		return true
	case // opencode and Codex
		"codesearch", "invalid", "list", "lsp", "plan_enter", "plan_exit", "question", "todoread", "todowrite", "webfetch", "websearch",
		"close_agent", "get_context_remaining", "list_mcp_resource_templates", "list_mcp_resources", "new_context", "read_mcp_resource",
		"request_permissions", "request_user_input", "resume_agent", "send_input", "tool_search", "update_plan", "wait", "wait_agent":
		return true
	}
	return false
}

// isPowerShell reports whether a tool's command is PowerShell text.
func isPowerShell(name string) bool {
	switch name {
	case "PowerShell", "powershell", "write_powershell", "executePwsh":
		return true
	}
	return false
}

// dirKeys are the keys under which a tool takes the folder it runs in. With a
// tool that takes none the key is foreign and must not lead the guard astray.
func dirKeys(tool, agent string) []string {
	switch tool {
	case "Shell", "run_command", "execute_command", "run_commands": // Cursor, Windsurf, Cline
		return []string{"cwd", "Cwd"}
	case "run_shell_command": // Gemini CLI, Qwen Code
		return []string{"dir_path", "directory"}
	case "exec_command", "local_shell", "shell", "container.exec", "unified_exec": // Codex
		return []string{"workdir", "cwd"}
	case "executeBash", "executePwsh", "execute_bash", "execute_cmd": // Kiro
		return []string{"cwd", "working_dir"}
	case "bash":
		if agent == "opencode" {
			return []string{"workdir"}
		}
	}
	return nil
}

// mayBeEmpty knows the tools of the bash kind that need no command: they type
// into a running shell, or watch something else.
func mayBeEmpty(name string) bool {
	switch name {
	case "Monitor", "WriteShellStdin", "write_stdin", "write_bash", "write_powershell", "send_command_input", "send_to_terminal", "create_and_run_task":
		return true
	}
	return false
}
