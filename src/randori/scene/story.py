"""A take in words: actions, events, and the reasons for decisions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from randori.errors import RandoriError
from randori.scene.take import Take
from randori.timeline.timeline import FORCED, Decision, Event

# Actions on average before and after the plausibility rules, of DIRECTOR's table 5.
DIRECTOR_TABLE_5 = {"boxing": (120.0, 35.5), "sword": (94.3, 68.2), "running": (95.8, 40.3)}
_IRREGULAR_VERBS = {"is": "are", "does": "do"}  # as "you" has it
_TIME_TOLERANCE = 1.0  # seconds that a decision may be away from the time that was asked for


def story(take: Take) -> Iterator[str]:
    """A line per thing that is done or happens, in the order of time."""
    rows: list[tuple[int, int, str]] = []
    for who, role in enumerate(take.roles):
        for one in role.placed:
            what = role.describe(one.action)
            rows.append(
                (one.start, who, f"{role.name}: {what}" + (" (forced)" if one.cause == FORCED else ""))
            )
    names = [role.name for role in take.roles]
    for event in take.events:
        if event.kind == "response":
            continue  # the action itself tells it
        rows.append((event.tick, -1, f"    {event_in_words(names, event)}"))
    for tick, _, words in sorted(rows, key=lambda row: row[:2]):
        yield f"{tick / take.fps:7.2f} s  {words}"


def event_in_words(names: Sequence[str], event: Event) -> str:
    """An event as a sentence."""
    who, whom = (names[one] if 0 <= one < len(names) else "" for one in (event.who, event.whom))
    what, part = event.what.replace("_", " "), event.part.replace("_", " ")
    match event.kind:
        case "hit":
            return f"{_does(who, 'hits')} {whom} on the {part} with the {what}, damage {event.strength:.1f}"
        case "target":
            return f"{_does(who, 'hits')} the target with the {what}"
        case "block":
            return f"{_does(whom, 'blocks')} the {what} of {who} with the {part}"
        case "push":
            return f"{_does(who, 'pushes')} {whom}"
        case "bump":
            return f"{_does(who, 'falls')} over {whom}"
        case "finale":
            return f"the finale of {who} and {whom} begins"
        case "miss":
            return f"{_does(who, 'misses')} {whom}"
        case "response":
            return f"{_does(who, 'gives')} way to what {_does(whom, 'does')}"
        case "caught":
            return f"{_does(who, 'catches')} {whom}"
        case "hand over":
            return f"{_does(who, 'hands')} the luggage to {whom}"
        case "checkpoint":
            return f"checkpoint {what} is reached"
        case "request":
            return f"{_does(who, 'does')} what was asked for: {what}"
        case "sets off":
            return f"the {what} sets off"
        case "run over":
            return f"the {what} runs {whom} over"
        case "launch":
            return f"{_does(who, 'starts')} to {what}"
        case "effect":
            return f"{_does(who, 'is')} in the middle of it: {what}"
        case "kicked":
            return f"{_does(who, 'kicks')} the {part} with the {what}"
        case kind:  # a file of a later version
            return ": ".join(word for word in (who, kind) if word)


def _does(who: str, verb: str) -> str:
    """A name and a verb; the player at the keyboard is "you"."""
    if who != "you":
        return f"{who or 'nobody'} {verb}"
    if verb in _IRREGULAR_VERBS:
        return f"you {_IRREGULAR_VERBS[verb]}"
    ending = "es" if verb.endswith(("shes", "sses", "ches")) else "s"
    return f"you {verb.removesuffix(ending)}"


def judged(take: Take) -> str:
    """The quality of a take, line by line, and the goals that were not met."""
    lines = [take.quality().in_words()]
    missed = take.provenance.get("goals not met")
    if isinstance(missed, list):
        lines += [f"look  goals: {goal}" for goal in missed] or [
            "ok    goals: all that was asked for happened"
        ]
    return "\n".join(lines)


def actions(take: Take) -> dict[str, list[dict[str, object]]]:
    """The actions of every character in order, by name; times in seconds."""
    return {
        role.name: [
            {
                "start": round(one.start / take.fps, 3),
                "seconds": round((one.stop - one.start) / take.fps, 3),
                "kind": role.tags[one.action].kind if one.action >= 0 else "",
                "technique": role.tags[one.action].technique if one.action >= 0 else "",
                "side": role.tags[one.action].side if one.action >= 0 else "",
                "cause": one.cause,
            }
            for one in role.placed
        ]
        for role in take.roles
    }


@dataclass(frozen=True)
class Choices:
    """The mean number of actions that a character could choose from."""

    name: str
    decisions: int
    before: float  # the plausibility rules
    after: float
    broken: dict[str, int]  # how many choices each rule has ruled out

    def in_words(self) -> str:
        """One line."""
        share = "" if not self.broken else f" ({', '.join(f'{k} {v}' for k, v in self.broken.items())})"
        return f"{self.name}: {self.before:.1f} → {self.after:.1f} in {self.decisions} decisions{share}"


def choices(take: Take) -> list[Choices]:
    """Actions before and after the plausibility rules, by character."""
    rows = []
    for who, role in enumerate(take.roles):
        own = [decision for decision in take.decisions if decision.who == who and decision.options]
        broken = Counter(option.rule for decision in own for option in decision.options if option.rule)
        possible = sum(len(decision.options) for decision in own)
        count = max(len(own), 1)
        after = (possible - sum(broken.values())) / count
        rows.append(Choices(role.name, len(own), possible / count, after, dict(broken.most_common())))
    return rows


def find_decision(take: Take, which: str) -> Decision:
    """A decision by its number (from 1), or by a time: "12.4s"."""
    if not take.decisions:
        raise RandoriError("this take has no decisions")
    text = which.strip().lower()
    try:
        if text.isdigit():
            number = int(text)
            if not 1 <= number <= len(take.decisions):
                raise RandoriError(f"--why {which}: the decisions are numbered 1 to {len(take.decisions)}")
            return take.decisions[number - 1]
        tick = float(text.removesuffix("s")) * take.fps
    except ValueError:
        raise RandoriError(
            f"--why {which}: give the number of a decision, or a time in seconds such as 12.4"
        ) from None
    nearest = min(take.decisions, key=lambda decision: abs(decision.tick - tick))
    if not abs(nearest.tick - tick) <= _TIME_TOLERANCE * take.fps:
        raise RandoriError(f"--why {which}: there is no decision within {_TIME_TOLERANCE:g} s of that time")
    return nearest


def explain(take: Take, which: str | int, most: int = 12) -> list[str]:
    """The reasons of a decision of a take, line by line: by its number (3) or its time in seconds ("12.4s").

    >>> print(*explain(take, 1), sep="\\n")
    """
    return list(why(take, find_decision(take, str(which)), most))


def why(take: Take, decision: Decision, most: int = 12) -> Iterator[str]:
    """The options of a decision, the rule that ruled each one out, its terms, and the expected course."""
    role = take.roles[decision.who]
    number = take.decisions.index(decision) + 1
    yield (
        f"Decision {number} at {decision.tick / take.fps:.2f} s: {role.name} "
        f"{'went on with' if decision.goes_on else 'chose'} "
        f"{role.describe(decision.action)}, "
        f"looking {decision.depth} plies ahead"
    )
    yield f"  it expected S_comp {decision.competitive:.4g} and S_coop {decision.cooperative:.4g}"
    for other in decision.unseen:
        yield f"  it did not see yet that {take.roles[other].name} was attacking"
    if decision.line:
        steps = [
            f"{take.roles[who].name} {take.roles[who].describe(action)} ({tick / take.fps:.2f} s)"
            for who, action, tick in decision.line
        ]
        yield f"  the line it expected: {' → '.join(steps)}"
    plausible = [option for option in decision.options if not option.rule]
    ruled_out = Counter(option.rule for option in decision.options if option.rule)
    yield f"  {len(decision.options)} choices, {len(plausible)} of them plausible"
    for rule, count in ruled_out.most_common():
        yield f"    {count} ruled out: {rule}"
    shown = sorted(
        plausible, key=lambda option: (option.action != decision.action, -sum(option.terms.values()))
    )
    for option in shown[:most]:
        terms = ", ".join(f"{name} {value:.4g}" for name, value in option.terms.items() if value != 0.0)
        mark = "→" if option.action == decision.action else " "
        yield f"  {mark} {role.describe(option.action)} [{option.action}]: {terms or 'nothing by itself'}"
    if len(shown) > most:
        yield f"    and {len(shown) - most} more"
