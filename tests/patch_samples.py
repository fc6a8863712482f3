"""Small scenes of patches."""

from randori.patches.pattern import scene_text

# the shipped scene, on a short take
LUGGAGE = scene_text("luggage").replace("seconds = 800.0", "seconds = 90.0\nseed = 3")

# who falls onto somebody, begun in so many ways, and who is fallen upon
_FALLS = """
[annotation.falling]
actions = [{ kind = ["fall"] }]
distance = [0.5, 1.3]
delay = [0.0, 0.1]
enter = 0.25
threat = "body"
most = MOST

[annotation.fall]
actions = [{ kind = ["fall"] }]
response = true
enter = 0.25
"""
_CROWD = """
[motions]
perform = ["crowd"]
seconds = 120.0
threshold = 0.1
"""

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

# with the whole body, and with something that is no person
BODIES = (
    """
title = "falls and a mouse"

[motions]
perform = ["boxing", "reactions"]
seconds = 60.0
threshold = 0.16

[annotation.stance]
actions = [{ kind = ["transition"], technique = ["stand", "step back"] }]
longest = 2.0
most = 4

"""
    + _FALLS.replace("MOST", "2")
    + """
[annotation.mouse]
thing = "mouse"
distance = [1.0, 1.4]
bearing = [-40, 40]
threat = "body"

[[pattern]]
moves = ["1 stance", "2 falling", "1 fall"]
keep = 12
impulse = 3.0
contact_seconds = 10.0
weights = { contact = 1.0, relation = 0.0, timing = 0.0 }
threshold = 0.0

[[pattern]]
moves = ["1 mouse", "2 stance"]
keep = 12
pass_by = 1.0
threshold = 0.0
"""
)

# a crowd: who falls onto whom
DOMINOES = (
    """
title = "few dominoes"

"""
    + _CROWD
    + """[annotation.anything]
actions = [{ kind = ["transition"], technique = ["stand"] }]
distance = [0.5, 1.3]
most = 3

"""
    + _FALLS.replace("MOST", "5")
    + """
[[pattern]]
moves = ["1 anything", "2 falling", "1 fall"]
keep = 2000
each = 3
impulse = 3.0
contact_seconds = 10.0
weights = { contact = 1.0, relation = 0.0, timing = 0.0 }
threshold = 0.0
"""
)

# the same crowd: who gets out of the way of a mouse, and into whose
MOUSE = (
    """
title = "a mouse in a small crowd"

"""
    + _CROWD
    + """[annotation.anything]
actions = [{ kind = ["transition"], technique = ["stand"] }]
distance = [0.5, 1.3]
most = 2

[annotation.avoid]
actions = [{ kind = ["reaction"], technique = ["avoid", "startle"] }]
distance = [0.5, 1.3]
delay = [0.0, 0.1]
threat = "body"
most = 6

[annotation.sidestep]
actions = [{ kind = ["reaction"], technique = ["avoid", "startle"] }]
distance = [0.5, 2.5]
bearing = [-100, 100]
delay = [0.0, 0.3]
most = 6

[annotation.pushed]
actions = [{ kind = ["reaction"], technique = ["pushed"] }]
response = true

[annotation.mouse]
thing = "mouse"
distance = [1.0, 2.5]
bearing = [-60, 60]
threat = "body"

[[pattern]]
moves = ["1 mouse", "2 sidestep"]
keep = 400
pass_by = 0.8
threshold = 0.2
distance = 0.6
weights = { contact = 1.0, relation = 0.0, timing = 1.0 }

[[pattern]]
moves = ["1 anything", "2 avoid", "1 pushed"]
keep = 1000
each = 2
impulse = 2.0
contact_seconds = 0.6
threshold = 0.0
weights = { contact = 1.0, relation = 0.0, timing = 0.0 }
"""
)

# the shipped scene without what befalls the runner, on a short take, begun in fewer ways
FOOTBALL = (
    "[[pattern]]".join(scene_text("football").split("[[pattern]]")[:2])
    .replace("seconds = 300.0", "seconds = 60.0\nseed = 3")
    .replace("distance = [2.4, 5.6]", "distance = [3.0, 5.0]")
    .replace("bearing = [-40, 40]", "bearing = [-20, 20]")
    .replace("delay = [0.0, 0.6]", "delay = [0.0, 0.3]")
)
