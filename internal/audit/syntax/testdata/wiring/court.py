"""builder.add_edge("decoy", "docstring")"""
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

# builder.add_edge("decoy", "comment")
DETECTIVES = ["doc", "vision"]
JUDGES = ("prosecutor", "defense", "tech_lead")
FIRST = "context"


def route(state):
    sends = []
    if state["repo"]:
        sends.append(Send("repo", state))
    if state["pdf"]:
        sends.append(Send("pdf", state))
    return sends


def pages(state):
    return [Send(n, state) for n in DETECTIVES]


def bench(state):
    return [Send("prosecutor", state), Send("defense", state), Send("tech_lead", state)]


def build():
    builder = StateGraph(State)
    builder.add_node(FIRST, context)
    for name in ("repo", "pdf", *DETECTIVES):
        builder.add_node(name, nodes[name])
    builder.add_node("aggregate", aggregate)
    for j in JUDGES:
        builder.add_node(f"{j}", judge(j))
        builder.add_edge(j, "verdicts")
    builder.add_node("verdicts", verdicts)
    builder.add_node("chief", chief)
    builder.add_edge(START, FIRST)
    builder.add_conditional_edges(FIRST, route, ["repo", "pdf"])
    builder.add_conditional_edges("pdf", pages)
    builder.add_edge(["repo", *DETECTIVES], "aggregate")
    builder.add_conditional_edges("aggregate", bench)
    builder.add_edge("verdicts", "chief")
    builder.add_edge("chief", END)
    return builder.compile()
