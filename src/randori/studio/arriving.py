"""A file that a page sends: it is checked while nothing else sees it, and then put in its place."""

import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

from anyio import to_thread

from randori.errors import RandoriError
from randori.formats.files import partial_name
from randori.locks import lock
from randori.studio import messages as wire

Found = TypeVar("Found")


class TooLargeUpload(RandoriError):
    """More bytes than any file that the studio accepts."""

    def __init__(self) -> None:
        super().__init__(f"files of more than {wire.MOST_UPLOAD // 1024**2} MB are not accepted")


async def receive(target: Path, pieces: AsyncIterator[bytes], check: Callable[[Path, int], Found]) -> Found:
    """Write a file piece by piece. `check` gets its path and size; where it raises, the file goes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    # the ending stays: readers go by it
    arriving = partial_name(target, target.suffix.lower())
    try:
        size = 0
        with arriving.open("xb") as file:
            lock(file)  # until it is closed: others see that it is still arriving
            async for piece in pieces:
                size += len(piece)
                if size > wire.MOST_UPLOAD:
                    raise TooLargeUpload
                await to_thread.run_sync(file.write, piece)
        if size == 0:
            raise RandoriError(f"{target.name} is empty")
        found = await to_thread.run_sync(check, arriving, size)
        os.replace(arriving, target)
        return found
    finally:
        arriving.unlink(missing_ok=True)
