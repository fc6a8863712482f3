"""All live sessions, by their names."""

from collections.abc import Generator

from randori.errors import RandoriError
from randori.studio import messages as wire
from randori.studio.project import Project
from randori.studio.sessions import avatars, fights, patches, preparation
from randori.studio.sessions.base import Kind, Live

SESSIONS: dict[str, Kind] = {**fights.KINDS, **avatars.KINDS, **preparation.KINDS, **patches.KINDS}


def opening(start: wire.LiveStart, project: Project) -> Generator[float, None, Live]:
    """Prepare a session; yields the share that is done."""
    if start.session not in SESSIONS:
        raise RandoriError(f"there is no live session {start.session!r}; there are {', '.join(SESSIONS)}")
    return (yield from SESSIONS[start.session].start(start.session, start, project))


def listed() -> wire.LiveList:
    """All live sessions."""
    return wire.LiveList(
        sessions=[
            wire.LiveEntry(
                name=name,
                group=kind.group,
                title=kind.title,
                description=kind.description,
                ready=kind.ready(),
            )
            for name, kind in SESSIONS.items()
        ]
    )
