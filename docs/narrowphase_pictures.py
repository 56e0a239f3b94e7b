#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the pictures of narrowphase.md: GJK and EPA at work on two boxes in the plane.

    python3 docs/narrowphase_pictures.py        (needs matplotlib: apt install python3-matplotlib)

In the plane the simplex is at most a triangle and EPA's faces are edges; everything else is as in the library.
"""
import pathlib

import matplotlib
matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "sunder"  # the same file every time
matplotlib.rcParams["svg.fonttype"] = "none"
import matplotlib.pyplot as plt
import numpy as np

FOLDER = pathlib.Path(__file__).parent / "pictures"
BLUE, RED, GREY, GREEN = "#2166ac", "#b2182b", "#999999", "#1b7837"


def corners(half, centre, degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    turn = np.array([[c, -s], [s, c]])
    return np.array([turn @ (np.array([x, y]) * half) + centre for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])


def hull(points):
    """Counterclockwise convex hull (Andrew's monotone chain)."""
    points = sorted(map(tuple, points))

    def chain(ordered):
        out = []
        for p in ordered:
            while len(out) > 1 and np.cross(np.subtract(out[-1], out[-2]), np.subtract(p, out[-1])) <= 1e-12:
                out.pop()
            out.append(p)
        return out[:-1]
    return np.array(chain(points) + chain(reversed(points)))


def difference(a, b):
    return hull([p - q for p in a for q in b])


def support(points, n):
    return points[np.argmax(points @ n)]


def nearest(simplex):
    """The point of a simplex of one to three points nearest to the origin, and the points that span it."""
    best = (np.inf, None, None)
    for p in simplex:
        best = min(best, (p @ p, tuple(p), [p]), key=lambda entry: entry[0])
    for i in range(len(simplex)):
        for j in range(i):
            p, e = simplex[j], simplex[i] - simplex[j]
            s = -(p @ e) / (e @ e)
            if 0 < s < 1:
                v = p + s * e
                best = min(best, (v @ v, tuple(v), [simplex[j], simplex[i]]), key=lambda entry: entry[0])
    if len(simplex) == 3:
        a, b, c = simplex
        signs = [np.cross(q - p, -p) for p, q in ((a, b), (b, c), (c, a))]
        if min(signs) > 0 or max(signs) < 0:
            return np.zeros(2), simplex
    return np.array(best[1]), best[2]


def gjk(points, axis):
    """The states that GJK goes through: simplex, nearest point, direction asked, support point found."""
    states, simplex = [], []
    for _ in range(20):
        w = support(points, axis)
        states.append((list(simplex), axis, w))
        if any(np.allclose(w, p) for p in simplex):
            break
        v, simplex = nearest(simplex + [w])
        if len(simplex) == 3:
            states.append((list(simplex), None, None))
            break
        axis = -v
    return states


def epa(points, triangle):
    """The polygons that EPA goes through, each with its nearest edge, the foot on it and the support point beyond."""
    polygon, states = hull(triangle), []
    for _ in range(20):
        best = None
        for i in range(len(polygon)):
            p, q = polygon[i], polygon[(i + 1) % len(polygon)]
            n = np.array([q[1] - p[1], p[0] - q[0]]) / np.linalg.norm(q - p)
            if best is None or n @ p < best[0]:
                best = (n @ p, n, p, q)
        w = support(points, best[1])
        states.append((polygon, best, w))
        if best[1] @ w - best[0] < 1e-9:
            break
        polygon = hull(list(polygon) + [w])
    return states


def frame(axes, title):
    axes.set_title(title, fontsize=9)
    axes.set_aspect("equal")
    axes.axis("off")


def draw_difference(axes, shape):
    axes.fill(*shape.T, facecolor="#f2f2f2", edgecolor=GREY, linewidth=1)
    axes.plot(0, 0, "o", color="black", markersize=4, zorder=5)
    axes.annotate("0", (0, 0), textcoords="offset points", xytext=(4, 4), fontsize=8)


def draw_boxes(axes, a, b, title):
    axes.fill(*a.T, facecolor=BLUE, alpha=0.25, edgecolor=BLUE)
    axes.fill(*b.T, facecolor=RED, alpha=0.25, edgecolor=RED)
    axes.annotate("A", a.mean(0), color=BLUE, ha="center", va="center")
    axes.annotate("B", b.mean(0), color=RED, ha="center", va="center")
    frame(axes, title)


def arrow(axes, start, way, colour):
    axes.annotate("", start + way, start, arrowprops={"arrowstyle": "->", "color": colour, "lw": 1.4})


def save(figure, name):
    figure.tight_layout()
    figure.savefig(FOLDER / name, bbox_inches="tight", metadata={"Date": None, "Creator": None})
    plt.close(figure)


def draw_gjk():
    a, b = corners((1.0, 0.6), (0, 0), 0), corners((0.8, 0.5), (2.3, 1.3), 30)
    shape, states = difference(a, b), gjk(difference(a, b), np.array([1.0, -0.6]))
    figure, plots = plt.subplots(1, len(states) + 1, figsize=(2.5 * (len(states) + 1), 2.7))
    draw_boxes(plots[0], a, b, "two boxes")
    v, face = nearest(states[-1][0])
    for axes, (number, (simplex, axis, w)) in zip(plots[1:], enumerate(states, 1)):
        draw_difference(axes, shape)
        if simplex:
            here, _ = nearest(simplex)
            axes.plot(*np.array(simplex).T, "o-", color=BLUE, markersize=4)
            axes.plot(*here, "x", color=BLUE)
            axes.plot(*np.array([np.zeros(2), here]).T, ":", color=BLUE, linewidth=1)
        if number == len(states):
            frame(axes, f"step {number}: nothing nearer to 0,\nthe distance is |v| = {np.linalg.norm(v):.2f}")
        else:
            arrow(axes, np.zeros(2) if not simplex else here, 0.8 * axis / np.linalg.norm(axis), GREEN)
            axes.plot(*w, "o", color=RED, markersize=6)
            frame(axes, f"step {number}: the point of A - B\nfurthest that way")
    save(figure, "gjk.svg")


def draw_epa():
    a, b = corners((1.0, 0.6), (0, 0), 0), corners((0.8, 0.5), (0.75, 0.55), 30)
    shape = difference(a, b)
    simplex = gjk(shape, np.array([-1.0, 0.9]))[-1][0]
    states = epa(shape, simplex)
    figure, plots = plt.subplots(1, len(states) + 2, figsize=(2.4 * (len(states) + 2), 2.7))
    draw_boxes(plots[0], a, b, "two boxes")
    upper = np.inf
    for axes, (number, (polygon, (distance, n, p, q), w)) in zip(plots[1:], enumerate(states, 1)):
        draw_difference(axes, shape)
        axes.fill(*polygon.T, facecolor=BLUE, alpha=0.15, edgecolor=BLUE)
        axes.plot(*np.array([p, q]).T, color=RED, linewidth=2)
        axes.plot(*np.array([np.zeros(2), distance * n]).T, color=RED, linewidth=1)
        if number == len(states):
            frame(axes, f"step {number}: no point further out,\nthe depth is {distance:.2f}")
        else:
            axes.plot(*w, "o", color=GREEN, markersize=6)
            upper = min(upper, n @ w)
            frame(axes, f"step {number}: {distance:.2f} <= depth <= {upper:.2f}")
    # The answer: B moved by depth along the normal from A to B.
    draw_boxes(plots[-1], a, b + distance * n, "B moved by depth * normal")
    plots[-1].plot(*np.vstack([b, b[:1]]).T, ":", color=RED, linewidth=1)
    save(figure, "epa.svg")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    draw_gjk()
    draw_epa()
