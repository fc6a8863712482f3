"""The command `inspect`: describe a recording, a character, a library or a take."""

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from randori.cli.reading import (
    ClipOption,
    Clips,
    FpsOption,
    PartOption,
    SkeletonOption,
    TPoseOption,
    UnitOption,
    UpOption,
    named_parts,
    reading_options,
)
from randori.cli.shared import JsonOption, app, console, in_words, messages, print_json, show_report, working
from randori.errors import FileError, RandoriError

if TYPE_CHECKING:
    from randori.characters.character import Character
    from randori.graph.library import ActionLibrary
    from randori.motion.clip import Clip
    from randori.scene.take import Take


_LISTED_NAMES = 8  # names of each kind to print
_FEWEST_FRAMES = 8  # shorter clips contain no action
_MOTION_ONLY = (".bvh", ".amc", ".c3d", ".trc")  # endings of files that cannot hold a character


@app.command()
def inspect(
    files: Clips,
    json: JsonOption = False,
    plot: Annotated[Path | None, typer.Option(help="PNG file to draw the graph of a library to")] = None,
    why: Annotated[
        str | None,
        typer.Option(help="Explain a decision of a take, by its number (3) or its time in seconds (12.4)"),
    ] = None,
    unit: UnitOption = None,
    up: UpOption = None,
    fps: FpsOption = None,
    drop_tpose: TPoseOption = None,
    part: PartOption = None,
    skeleton: SkeletonOption = None,
    clip: ClipOption = None,
) -> None:
    """Describe a recording, a character, a library or a take, or explain a decision of a take."""
    from randori.formats import load_all

    reports, recordings = [], 0
    for file in files:
        kind = _archive_kind(file)
        if kind == "take":
            from randori.scene.take import Take

            reports.append(_show_take(Take.load(file), file, json, why))
        elif why is not None:
            raise RandoriError(f"--why explains a decision of a take, but {file} is not a take")
        elif kind == "library":
            from randori.graph.library_file import read

            reports.append(show_library(read(file), file, json, plot))
        elif kind == "patches":
            from randori.cli.patches import patches_report
            from randori.patches.library import read_patches

            reports.append(patches_report(read_patches(file), file))
            if not json:
                show_report(reports[-1], json)
        else:
            options = reading_options(unit, up, fps, drop_tpose, part, skeleton, clip)
            if clip is None and file.suffix.lower() not in _MOTION_ONLY:
                from randori.characters.character import clip_count, find_character

                if (body := find_character(file, named_parts(part))) is not None:
                    reports.append(_show_character(body, file, json))
                    if clip_count(file) != 1:
                        continue  # their names are printed; --clip chooses one
                    if not json:
                        console.print("  its clip:", highlight=False)
            recordings += 1
            clips = load_all(file, **options)
            if len(clips) > 1:
                reports.append(_list_clips(file, clips, json))
            else:
                reports.append(_report(file, clips[0], json))
    if json:  # a single report is not put into a list, unless it is of a recording
        print_json(reports if recordings or len(reports) > 1 else reports[0])


def _archive_kind(file: Path) -> str:
    """The kind of an `.npz` file: a take, a library or patches; "" for a clip and for other files.

    A recording of another format needs none of these modules. Importing them takes longer than reading it.
    """
    if file.suffix.lower() != ".npz":
        return ""
    from randori.graph.library_file import is_library
    from randori.patches.library import is_patches
    from randori.scene.take_file import is_take

    checks = {"take": is_take, "library": is_library, "patches": is_patches}
    return next((kind for kind, holds in checks.items() if holds(file)), "")


def _show_take(take: "Take", path: Path, json: bool, which: str | None) -> dict[str, Any]:
    """Print the story and quality of a take, or explain one decision; with `json`, only return the report."""
    from randori.scene.story import DIRECTOR_TABLE_5, actions, choices, find_decision, judged, story, why

    if which is not None:
        decision = find_decision(take, which)
        for line in () if json else why(take, decision):
            console.print(line, soft_wrap=True)
        return asdict(decision)
    counted = choices(take)
    report = take.report() | {"events": [asdict(event) for event in take.events]}
    report |= {"choices": [asdict(row) for row in counted], "actions": actions(take)}
    if json:
        return report
    console.marked("[bold]{}[/bold]  {}, {:g} s", path, take.title, take.seconds)
    for line in story(take):
        console.print(line, soft_wrap=True)
    console.marked("[bold]quality[/bold]")
    console.print(judged(take))
    console.marked("[bold]choices before → after the plausibility rules[/bold]")
    for row in counted:
        console.print(f"  {row.in_words()}", soft_wrap=True)
    theirs = ", ".join(f"{name} {before} → {after}" for name, (before, after) in DIRECTOR_TABLE_5.items())
    console.marked("  [dim]DIRECTOR, table 5: {}[/dim]", theirs)
    return report


def _show_character(character: "Character", file: Path, json: bool) -> dict[str, Any]:
    """Print the facts about a character, and the names of the clips in its file."""
    from randori.formats import load_all

    facts = character.facts()
    try:
        facts["clips"] = [one.name for one in load_all(file)]
    except FileError:
        facts["clips"] = []
    if json:
        return facts
    console.marked("[bold]{}[/bold]  a character", file)
    size = f"{facts['height']:.2f} m tall, arms {facts['reach']:.2f} m, legs {facts['leg']:.2f} m"
    unit = "" if facts["metres_per_unit"] == 1.0 else f"; 1 unit = {facts['metres_per_unit']:g} m"
    console.print(f"  {size}{unit}", highlight=False)
    counts = f"{facts['joints']} joints, {facts['vertices']} vertices, {facts['triangles']} triangles"
    console.print(f"  {counts} in {facts['meshes']} meshes, {facts['cones']} round cones", highlight=False)
    for key in ("materials", "props", "clips"):
        if facts[key]:
            most = len(facts[key]) if key == "clips" else _LISTED_NAMES  # --clip needs the name
            listed = ", ".join(facts[key][:most]) + (", …" if len(facts[key]) > most else "")
            console.print(f"  {len(facts[key])} {key}: {listed}", soft_wrap=True)
    for note in facts["notes"]:
        console.marked("  [yellow]{}[/yellow]", note)
    parts = ", ".join(f"{part}: {joint}" for part, joint in facts["parts"].items())
    console.marked("  [dim]{}[/dim]", parts)
    if facts["clips"]:
        console.print("  for details of a clip: --clip NAME", highlight=False)
    return facts


def _list_clips(file: Path, clips: "list[Clip]", json: bool) -> dict[str, Any]:
    """List the clips of a file."""
    facts = [_facts(clip) for clip in clips]
    if not json:
        console.marked("[bold]{}[/bold]  {} clips", file, len(clips))
        _print_body(facts[0])
        for clip in clips:
            length = f"{len(clip)} frames at {clip.fps:g} a second = {clip.duration:.2f} s"
            console.marked("  {}  [dim]{}[/dim]", clip.name, length)
        console.print("  for details of a clip: --clip NAME")
    return {"file": str(file), "clips": facts}


def _report(file: Path, clip: "Clip", json: bool) -> dict[str, Any]:
    """Print the facts, the body report and the actions of a recording; compare them with its ground truth."""
    from randori.capture.analysis import analyse
    from randori.capture.sidecar import read_sidecar, sidecar_path
    from randori.motion.parts import missing_parts
    from randori.performer.checks import check

    facts = _facts(clip)
    if missing_parts(clip.skeleton.parts) or len(clip) < _FEWEST_FRAMES:
        # print what is known; the notes name the missing parts
        if not json:
            _print_facts(file, facts)
            if len(clip) < _FEWEST_FRAMES:
                console.marked(
                    "  [yellow]a clip of fewer than {} frames contains no action[/yellow]", _FEWEST_FRAMES
                )
        return {"file": str(file), **facts}
    body = check(clip)
    sidecar, known = sidecar_path(file), file.with_suffix(".truth.json")
    has_sidecar = sidecar.is_file()
    edits, holds = read_sidecar(sidecar) if has_sidecar else ((), "")
    analysis = analyse(clip, edits=edits, holds=holds)
    actions = Counter(segment.tags.name for segment in analysis.segments)
    report = {
        "file": str(file),
        **facts,
        "checks": body.as_dict(),
        "actions": dict(actions.most_common()),
    }
    report["holds"] = analysis.holds
    report["problems"] = [problem.message for problem in analysis.problems]
    agreement = None
    if known.is_file():
        from randori.capture.scoring import score
        from randori.performer.truth import read as read_truth

        agreement = score(analysis, read_truth(known))
        report["agreement"] = agreement.as_dict()
    if not json:
        _print_facts(file, facts)
        console.print(body.in_words())
        listed = ", ".join(f"{count} {name}" for name, count in actions.most_common())
        console.print(f"  {len(analysis.segments)} actions: {listed}")
        if analysis.holds:
            console.print(f"  the hands hold a {analysis.holds} that has no joint")
        for problem in analysis.problems:
            console.marked("  [yellow]{}[/yellow]", problem.message)
        if agreement is not None:
            console.print(f"  against {known.name}: {agreement.summary()}")
            console.print(agreement.confusion_table(), soft_wrap=True)
    return report


def show_library(
    library: "ActionLibrary", path: Path, json: bool, plot: Path | None = None
) -> dict[str, Any]:
    """Print the contents of a library and its graphs; with `json`, only return the report."""
    from randori.duel.trial import judged_by_trial
    from randori.graph.action_graph import build_action_graph
    from randori.graph.frame_graph import build_frame_graph
    from randori.graph.locomotion_graph import build_locomotion_graph
    from randori.graph.plot import plot_action_graph
    from randori.graph.usefulness import find_usefulness
    from randori.render.pictures import save_png

    with working("Joining actions"):
        actions, frames = build_action_graph(library), build_frame_graph(library)
        gaits = build_locomotion_graph(library)
        useful = judged_by_trial(find_usefulness(library, actions, gaits), library)
    problems = [f"{clip.name}: {problem.message}" for clip in library.clips for problem in clip.problems]
    report = {
        "library": str(path),
        "recordings": len(library.clips),
        "actions": len(library),
        "seconds": round(library.seconds, 1),
        "by technique": library.counts(),
        "good for": {use.name: f"{use.able}: {use.why}" for use in useful.uses},
        "missing": list(useful.missing),
        "record next": list(useful.record),
        "action graph": actions.report(),
        "frame graph": frames.report(),
        "locomotion graph": gaits.report(),
        "problems": problems,
    }
    if not json:
        size = f"{len(library)} actions, {library.seconds:.0f} s of {len(library.clips)} recordings"
        console.marked("[bold]{}[/bold]  {}", path, size)
        listed = ", ".join(f"{count} {name}" for name, count in library.counts().items())
        console.print(f"  {listed}")
        console.marked("  [bold]good for[/bold]")
        for use in useful.uses:
            console.print(f"    {use.name}: {use.able}, {use.why}", soft_wrap=True)
        for title, lines in (("missing", useful.missing), ("record next", useful.record)):
            if lines:
                console.marked("  [bold]{}[/bold]", title)
            for line in lines:
                console.print(f"    {line}", soft_wrap=True)
        for name, graph in (("action graph", actions), ("frame graph", frames), ("locomotion graph", gaits)):
            console.marked("  [bold]{}[/bold]", name)
            for key, value in graph.report().items():
                console.print(f"    {key}: {in_words(value)}")
        for problem in problems:
            console.marked("  [yellow]{}[/yellow]", problem)
    if plot is not None:
        save_png(plot_action_graph(actions, title=path.stem), plot)
        messages.print(f"{plot}")
    return report


def _facts(clip: "Clip") -> dict[str, Any]:
    from randori.formats.recognise import find_floor

    skeleton, floor = clip.skeleton, find_floor(clip)
    return {
        "name": clip.name,
        "frames": len(clip),
        "fps": clip.fps,
        "seconds": round(clip.duration, 3),
        "joints": len(skeleton),
        "height": round(skeleton.height, 3),
        "floor": None if floor is None else round(floor, 3),
        **asdict(clip.source),
        "parts": {part: skeleton.names[joint] for part, joint in skeleton.parts.items()},
    }


def _print_body(facts: dict[str, Any]) -> None:
    """Print the size and the place of the body of a recording."""
    words = f"1 unit = {facts['metres_per_unit']:.6g} m, {facts['up_axis']} up"
    if facts["height"]:
        words += f", {facts['height']:.2f} m tall"
    if facts["floor"] is not None:
        words += f", floor at {facts['floor']:.2f} m"
    console.print(f"  {words}")


def _print_facts(file: Path, facts: dict[str, Any]) -> None:
    console.marked("[bold]{}[/bold]", file)
    length = f"{facts['frames']} frames at {facts['fps']:g} a second = {facts['seconds']:g} s"
    console.print(f"  {length}, {facts['joints']} joints")
    _print_body(facts)
    if count := facts["dropped_frames"]:
        frames = "frame" if count == 1 else "frames"
        console.print(f"  {count} leading T-pose {frames} left out")
    for note in facts["notes"]:
        console.print(f"  {note}", soft_wrap=True)
    parts = ", ".join(f"{part}: {joint}" for part, joint in facts["parts"].items())
    console.marked("  [dim]{}[/dim]", parts)
