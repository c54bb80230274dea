import { StateGraph, START, END } from "@langchain/langgraph";
// g.addEdge("decoy", "comment")
enum N { A = "a", B = "b" }
const g = new StateGraph(State)
  .addNode(N.A, f)
  .addNode({ [N.B]: f, c: f2, d: f2 })
  .addEdge(START, N.A)
  .addEdge(N.A, "b")
  .addEdge(N.A, "c");
["b", "c"].forEach((n) => g.addEdge(n, "d"));
for (const [s, t] of [["d", END]] as const) { g.addEdge(s, t); }
g.addConditionalEdges("d", (state) => state.ok ? "a" : END);
g.addEdge(pick(), "d");
