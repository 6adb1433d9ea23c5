"""The graph of what refers to what: an order in which each comes after what it refers to, or the cycles in the way.

A graph is a list: for each assertion the positions of those it refers to. Nothing here recurses, and all but the search
for the cycle to show is linear, so that ten thousand assertions in one chain are ordinary.
"""

from __future__ import annotations

from collections.abc import Sequence

Graph = Sequence[Sequence[int]]


def order(graph: Graph) -> tuple[int, ...] | None:
    """Return the positions in document order, each preceded by what it still needs; None where there is a cycle."""
    state = [0] * len(graph)  # 0 unseen, 1 waiting for others, 2 placed
    placed: list[int] = []
    for first in range(len(graph)):
        stack = [first]
        while stack:
            here = stack[-1]
            if state[here] == 2:
                stack.pop()
                continue
            waiting = sorted(needed for needed in graph[here] if state[needed] != 2)
            if not waiting:
                state[here] = 2
                placed.append(here)
                stack.pop()
                continue
            if state[here] == 1 or any(state[needed] == 1 for needed in waiting):
                return None
            state[here] = 1
            stack.extend(reversed(waiting))
    return tuple(placed)


def cycles(graph: Graph) -> list[list[int]]:
    """Return one shortest cycle for each group of positions that wait for one another, by its first position.

    Each cycle begins with the group's first position and does not repeat it at the end.
    """
    groups = [group for group in _components(graph) if len(group) > 1]
    return sorted(_shortest(graph, min(group), frozenset(group)) for group in groups)


def _shortest(graph: Graph, start: int, group: frozenset[int]) -> list[int]:
    came: dict[int, int] = {}
    layer = [start]
    while layer:
        ahead: list[int] = []
        for here in layer:
            for needed in graph[here]:
                if needed == start:
                    path = [here]
                    while path[-1] != start:
                        path.append(came[path[-1]])
                    return path[::-1]
                if needed in group and needed not in came:
                    came[needed] = here
                    ahead.append(needed)
        layer = ahead
    return [start]


def _components(graph: Graph) -> list[list[int]]:
    """Return the strongly connected components (Tarjan 1972, without recursion)."""
    number, low = [-1] * len(graph), [0] * len(graph)
    on_stack = [False] * len(graph)
    stack: list[int] = []
    found: list[list[int]] = []
    count = 0
    for first in range(len(graph)):
        work = [(first, 0)] if number[first] < 0 else []
        while work:
            here, at = work.pop()
            if at == 0:
                number[here] = low[here] = count
                count += 1
                stack.append(here)
                on_stack[here] = True
            else:
                low[here] = min(low[here], low[graph[here][at - 1]])
            while at < len(graph[here]) and number[graph[here][at]] >= 0:
                if on_stack[graph[here][at]]:
                    low[here] = min(low[here], number[graph[here][at]])
                at += 1
            if at < len(graph[here]):
                work += [(here, at + 1), (graph[here][at], 0)]
            elif low[here] == number[here]:
                cut = _last(stack, here)
                found.append(stack[cut:])
                for member in stack[cut:]:
                    on_stack[member] = False
                del stack[cut:]
    return found


def _last(stack: list[int], here: int) -> int:
    at = len(stack) - 1
    while stack[at] != here:
        at -= 1
    return at
