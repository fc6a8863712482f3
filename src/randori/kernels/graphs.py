"""Loops over graphs and over poses that are to become neighbours in one."""

import math

import numpy as np

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.plane import turn_direction_back


@kernel
def pose_distance(plane, height, size, a, b):
    """Metres between two poses, turned and moved over the floor so that they fit best.

    plane (N, D, 2) are places over the floor about their middle, height (N, D) the rest, size (N,) the
    sum of the squares of plane. The best turn need not be known: it makes the product of the two, as
    complex numbers, real.
    """
    real, imaginary, apart = 0.0, 0.0, 0.0
    for k in range(plane.shape[1]):
        x, y = plane[a, k, 0], plane[a, k, 1]
        u, v = plane[b, k, 0], plane[b, k, 1]
        real += x * u + y * v
        imaginary += y * u - x * v
        rise = height[a, k] - height[b, k]
        apart += rise * rise
    flat = size[a] + size[b] - 2.0 * math.sqrt(real * real + imaginary * imaginary)
    return math.sqrt(max(flat, 0.0) + apart)


@kernel
def farthest_point(plane, height, a, b, weights):
    """Metres that the point of the body is off which is off most, when the poses are put as in pose_distance.

    The first half of the columns are places, the second half velocities of the same points, both weighted
    by the roots of weights (D / 2,).
    """
    real, imaginary = 0.0, 0.0
    for k in range(plane.shape[1]):
        real += plane[a, k, 0] * plane[b, k, 0] + plane[a, k, 1] * plane[b, k, 1]
        imaginary += plane[a, k, 1] * plane[b, k, 0] - plane[a, k, 0] * plane[b, k, 1]
    length = math.sqrt(real * real + imaginary * imaginary)
    c, s = (real / length, imaginary / length) if length > 0.0 else (1.0, 0.0)
    points = len(weights)
    worst = 0.0
    for point in range(points):
        square = 0.0
        for k in (point, points + point):
            u, v = turn_direction_back(c, s, plane[b, k, 0], plane[b, k, 1])
            x, y = plane[a, k, 0] - u, plane[a, k, 1] - v
            rise = height[a, k] - height[b, k]
            square += x * x + y * y + rise * rise
        worst = max(worst, square / weights[point])
    return math.sqrt(worst)


@kernel
def distances_to(plane, height, size, pose, distances):
    """Metres from a pose to all others, into distances (N,)."""
    for other in range(len(distances)):
        distances[other] = pose_distance(plane, height, size, pose, other)


@array_kernel
def near_pairs(plane, height, size, weights, landmarks, threshold, farthest):
    """All pairs (first < second) of poses nearer than a threshold, and their distances in metres.

    No point of the body may be off by more than `farthest` metres.

    Poses are sorted by landmarks[:, 0], their distance from a landmark pose. Two poses cannot be nearer
    to each other than their distances from any landmark differ: few pairs are looked at in full.
    """
    count, room = 0, 1024
    first, second = np.empty(room, np.int64), np.empty(room, np.int64)
    distances = np.empty(room, np.float64)
    for a in range(len(size)):
        for b in range(a + 1, len(size)):
            if landmarks[b, 0] - landmarks[a, 0] > threshold:
                break
            apart = 0.0
            for k in range(1, landmarks.shape[1]):
                apart = max(apart, abs(landmarks[a, k] - landmarks[b, k]))
            if apart > threshold:
                continue
            distance = pose_distance(plane, height, size, a, b)
            if distance > threshold or farthest_point(plane, height, a, b, weights) > farthest:
                continue
            if count == room:
                room *= 2
                grown_first, grown_second = np.empty(room, np.int64), np.empty(room, np.int64)
                grown_distances = np.empty(room, np.float64)
                for k in range(count):
                    grown_first[k], grown_second[k], grown_distances[k] = first[k], second[k], distances[k]
                first, second, distances = grown_first, grown_second, grown_distances
            first[count], second[count], distances[count] = a, b, distance
            count += 1
    return first[:count], second[:count], distances[:count]


@array_kernel
def strong_components(indptr, indices, component):
    """Number the parts of a graph in which every node can reach every other, into component (N,).

    Tarjan's algorithm with a stack of its own. Returns how many parts there are.
    """
    nodes = len(indptr) - 1
    order = np.full(nodes, -1, np.int64)  # in which a node was met
    lowest = np.zeros(nodes, np.int64)
    waiting = np.empty(nodes, np.int64)  # nodes whose part is not known yet
    path = np.empty(nodes, np.int64)
    place = indptr[:-1].copy()  # the edge of each node that comes next
    on_stack = np.zeros(nodes, np.bool_)
    met, parts, stacked = 0, 0, 0
    for root in range(nodes):
        if order[root] >= 0:
            continue
        depth = 0
        path[0] = root
        order[root] = lowest[root] = met
        met += 1
        waiting[stacked] = root
        stacked += 1
        on_stack[root] = True
        while depth >= 0:
            node = path[depth]
            if place[node] < indptr[node + 1]:
                other = indices[place[node]]
                place[node] += 1
                if order[other] < 0:
                    depth += 1
                    path[depth] = other
                    order[other] = lowest[other] = met
                    met += 1
                    waiting[stacked] = other
                    stacked += 1
                    on_stack[other] = True
                elif on_stack[other]:
                    lowest[node] = min(lowest[node], order[other])
                continue
            if lowest[node] == order[node]:
                while True:
                    stacked -= 1
                    other = waiting[stacked]
                    on_stack[other] = False
                    component[other] = parts
                    if other == node:
                        break
                parts += 1
            depth -= 1
            if depth >= 0:
                lowest[path[depth]] = min(lowest[path[depth]], lowest[node])
    return parts


@array_kernel
def greedy_groups(indptr, indices, distances, order, group):
    """Give every pose a group, into group (N,), around poses that have many near ones.

    In the given order a pose without a group founds one and takes in its neighbours (CSR); in the end
    each pose goes to the founder nearest to it. Returns the founders.
    """
    founders = np.empty(len(order), np.int64)
    count = 0
    group[:] = -1
    for pose in order:
        if group[pose] >= 0:
            continue
        founders[count] = pose
        group[pose] = count
        for k in range(indptr[pose], indptr[pose + 1]):
            if group[indices[k]] < 0:
                group[indices[k]] = count
        count += 1
    number = np.full(len(order), -1, np.int64)
    for k in range(count):
        number[founders[k]] = k
    for pose in range(len(order)):
        if number[pose] >= 0:
            group[pose] = number[pose]
            continue
        nearest = np.inf
        for k in range(indptr[pose], indptr[pose + 1]):
            if number[indices[k]] >= 0 and distances[k] < nearest:
                nearest = distances[k]
                group[pose] = number[indices[k]]
    return founders[:count]
