"""A single patch as a timeline: to look at, to bake, to measure."""

from randori.graph.library import ActionLibrary
from randori.patches.patch import Part, Patch
from randori.timeline.timeline import Placed, Timeline, Track


def timeline_of(patch: Patch, library: ActionLibrary, name: str = "patch") -> Timeline:
    """Both characters from tick 0 on. One that starts later enters as recorded; a mouse is left out."""
    tracks = [
        Track(f"{role + 1}", library, _filled(part, library), outfit=role)
        for role, part in enumerate(patch.parts)
        if part.steps[0].action < len(library)
    ]
    return Timeline(library.fps, patch.ticks, tuple(tracks), patch.events, words={"scene": name})


def describe(patch: Patch, library: ActionLibrary) -> str:
    """A description of a patch: the actions of both, and the events."""

    def name(action: int) -> str:
        return library.describe(action) if action < len(library) else "mouse"

    lines = [", ".join(name(step.action) for step in part.steps) for part in patch.parts]
    happens = [
        f"{event.kind} {event.what.replace('_', ' ')} {event.part.replace('_', ' ')}".split()
        for event in patch.events
        if event.kind != "response"
    ]
    return f"{' | '.join(lines)} ({', '.join(' '.join(words) for words in happens)})"


def _filled(part: Part, library: ActionLibrary) -> tuple[Placed, ...]:
    """A part with the frames recorded before it, so that it starts in tick 0."""
    first = part.steps[0]
    if first.start == 0:
        return part.steps
    recorded = library.clips[int(library.frames.clip[first.first])]
    shown = first.first - first.start
    if shown < recorded.start:
        shown = first.first  # nothing was recorded before: it begins twice
    return (Placed(-1, shown, 0, first.start, first.placement), *part.steps)
