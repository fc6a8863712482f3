"""Write down in src/randori/kernels/recorded.json which kernels the commands need.

Do so when signatures of kernels have changed. Each command runs in a process of its own, with an empty cache.
"""

import json
import os
import subprocess
import sys
import tempfile

from randori.kernels.recorded import Recorded, frozen, recording, write_record

# The kernels of a command are looked up under its name.
COMMANDS = {
    "demo": ("demo", "--seconds", "5"),
    "run": ("run", "boxing", "--seconds", "5"),
}


def record(words: list[str]) -> None:
    """Run a command; the last line of its output says which kernels were compiled."""
    from randori.cli import app

    with recording() as rows:
        app(words, standalone_mode=False)
    print(json.dumps(rows))


def record_all() -> None:
    with tempfile.TemporaryDirectory() as folder:
        running = {
            command: subprocess.Popen(
                [sys.executable, __file__, *words, "--out", f"{folder}/{command}"],
                env={**os.environ, "RANDORI_CACHE": f"{folder}/{command}", "RANDORI_PROCESSES": "0"},
                stdout=subprocess.PIPE,
                text=True,
            )
            for command, words in COMMANDS.items()
        }
        outputs = {command: process.communicate()[0] for command, process in running.items()}
    failed = [command for command, process in running.items() if process.returncode]
    if failed:
        raise SystemExit(f"nothing was recorded: {', '.join(failed)} failed")
    found = {}
    for command, text in outputs.items():
        found[command] = [Recorded(*map(frozen, row)) for row in json.loads(text.splitlines()[-1])]
        print(f"{command}: {len(found[command])} kernels")
    write_record(found)


if __name__ == "__main__":
    if sys.argv[1:]:
        record(sys.argv[1:])
    else:
        record_all()
