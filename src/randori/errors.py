"""Errors for input that Randori cannot use."""


class RandoriError(Exception):
    """An error for the user: its message names the wrong value and the valid ones."""


class FileError(RandoriError):
    """A file that cannot be read or written as asked: names the file, the line, and the expected content."""

    def __init__(self, path: object, problem: str, line: int | None = None):
        place = f"{path}" if line is None else f"{path}, line {line}"
        super().__init__(f"{place}: {problem}")
        self.path, self.line, self.problem = str(path), line, problem


class BodyPartError(RandoriError):
    """A body part that was needed and could not be found among the joints."""
