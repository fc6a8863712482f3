"""A small scene of patches."""

SMALL = """
title = "a small fight"
chain = 1
successors = 6

[motions]
perform = ["boxing", "reactions"]
seconds = 60.0
threshold = 0.16

[annotation.attack]
actions = [{ kind = ["attack"] }]
distance = [0.8, 1.4]
bearing = [-40, 40]
delay = [0.0, 0.2]
threat = "strike"
most = 10

[annotation.defence]
actions = [{ kind = ["defence"] }]
distance = [0.8, 1.4]
bearing = [-40, 40]
delay = [0.0, 0.2]
defends = true
most = 5

[annotation.stance]
actions = [{ kind = ["transition"], technique = ["stand", "step back"] }]
bearing = [-40, 40]
delay = [0.0, 0.2]
longest = 1.5
most = 4

[annotation.stagger]
actions = [{ kind = ["reaction"] }]
response = true

[[pattern]]
moves = ["1 attack", "2 defence"]
keep = 40
threshold = 0.4

[[pattern]]
moves = ["1 attack", "2 stance", "2 stagger"]
keep = 20
threshold = 0.3
impulse = 6.0
"""
