import networkx as nx
from elsewhere import wire

graph = nx.DiGraph()
graph.add_edge("a", "b")
graph.add_edge("a", "c")
