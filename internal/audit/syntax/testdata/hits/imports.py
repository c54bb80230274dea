"""import langgraph"""
import langgraph  # hit: langgraph
import langgraph.graph as g  # hit: langgraph langgraph.graph
import os, langgraph.graph  # hit: langgraph langgraph.graph
from langgraph import graph  # hit: langgraph langgraph.graph
from langgraph.graph import (  # hit: langgraph langgraph.graph
    END,
    StateGraph,
)
import langgraphs
from . import langgraph
from .langgraph import x
from other import langgraph
# import langgraph
def f():
    import langgraph.types  # hit: langgraph
