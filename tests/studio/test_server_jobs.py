"""The queue before the worker, and the worker itself."""

import time
from collections.abc import Callable, Iterator
from threading import Event

import pytest

from randori.errors import RandoriError
from randori.studio import messages as wire
from randori.studio.jobs import Jobs
from randori.studio.worker import Answer, Order, Worker
from studio.serving import soon


class Patient:
    """A worker whose tasks last until they are let go, or stopped."""

    def __init__(self) -> None:
        self.stopped, self.go, self.done = Event(), Event(), list[str]()
        self.renewed: list[int] = []  # how many tasks were done before

    def begin(self) -> None:
        self.stopped.clear()

    def stop(self) -> None:
        self.stopped.set()

    def end(self) -> None:
        self.go.set()

    def renew(self) -> None:
        self.renewed.append(len(self.done))

    def do(self, order: Order, follow: Callable[[float, str], None]) -> Answer:
        follow(0.5, "at it")
        while not self.go.is_set():
            if self.stopped.wait(0.005):
                return Answer("stopped", None)
        self.done.append(order.function)
        return Answer("done", None)


@pytest.fixture
def patient() -> Patient:
    return Patient()


@pytest.fixture
def jobs(patient: Patient) -> Iterator[Jobs]:
    made = Jobs(patient)
    yield made
    made.end()


def becomes(jobs: Jobs, job: wire.Job, state: str) -> bool:
    """Whether a job comes to a state, at the latest after a while."""
    return soon(lambda: jobs.find(job.job).state == state)


def test_what_somebody_waits_for_goes_before_the_gallery(jobs: Jobs, patient: Patient) -> None:
    picture = jobs.start("gallery", "a picture", "m:picture")
    assert becomes(jobs, picture, "running")
    scene = jobs.start("simulate", "a scene", "m:scene")
    assert becomes(jobs, scene, "running")
    assert jobs.find(picture.job).state == "waiting"
    patient.go.set()
    assert becomes(jobs, picture, "done")
    assert patient.done == ["m:scene", "m:picture"]


def test_a_waiting_job_and_a_running_one_are_cancelled(jobs: Jobs, patient: Patient) -> None:
    first, second = jobs.start("simulate", "1", "m:one"), jobs.start("simulate", "2", "m:two")
    assert becomes(jobs, first, "running")
    assert jobs.cancel(second.job).state == "cancelled"
    assert jobs.cancel(first.job).state == "cancelled"
    third = jobs.start("simulate", "3", "m:three")
    assert becomes(jobs, third, "running")
    patient.go.set()
    assert becomes(jobs, third, "done")
    assert patient.done == ["m:three"]
    assert jobs.cancel(third.job).state == "done"
    with pytest.raises(RandoriError, match="there is no job"):
        jobs.cancel("99")


def test_the_worker_lets_go_of_the_gallery_when_the_last_picture_is_made(
    jobs: Jobs, patient: Patient
) -> None:
    for name in ("one", "two"):
        assert jobs.start("gallery", name, f"m:{name}").state == "waiting"
    last = jobs.start("simulate", "a scene", "m:scene")
    patient.go.set()
    assert becomes(jobs, last, "done")
    assert soon(lambda: len(patient.done) == 3 and bool(patient.renewed))
    assert patient.renewed == [3]  # once, at the end; a scene that a user looks at stays loaded


def test_too_much_work_is_refused(jobs: Jobs) -> None:
    assert becomes(jobs, jobs.start("simulate", "first", "m:one"), "running")
    for number in range(50):
        jobs.start("simulate", str(number), "m:one")
    with pytest.raises(RandoriError, match="too much is waiting"):
        jobs.start("simulate", "one more", "m:one")


# ---- a real worker


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.end()


def do(
    worker: Worker,
    name: str,
    stop_after: float | None = None,
    heard: list[tuple[float, str]] | None = None,
    **arguments: object,
) -> Answer:
    worker.begin()
    begun = time.monotonic()

    def follow(share: float, words: str) -> None:
        if heard is not None:
            heard.append((share, words))
        if stop_after is not None and time.monotonic() - begun >= stop_after:
            worker.stop()

    return worker.do(Order(f"studio.worker_tasks:{name}", arguments), follow)


def test_a_task_is_done_in_a_process_of_its_own(worker: Worker) -> None:
    assert do(worker, "count", to=5) == Answer("done", 5)


def test_a_task_says_what_it_does(worker: Worker) -> None:
    heard: list[tuple[float, str]] = []
    assert do(worker, "count_aloud", heard=heard, to=5) == Answer("done", 5)
    assert heard[0] == (0.5, "counting")


def test_problems_are_told_in_words_and_the_worker_goes_on(worker: Worker) -> None:
    answer = do(worker, "fail")
    assert answer.what == "problem"
    assert (answer.value.file, answer.value.line) == ("walk.bvh", 7)
    answer = do(worker, "crash")
    assert "inside Randori (ZeroDivisionError: by nothing)" in answer.value.message
    answer = do(worker, "vanish")
    assert "ended unexpectedly" in answer.value.message
    assert do(worker, "count", to=2) == Answer("done", 2)


@pytest.mark.parametrize("name", ["listen", "ignore"])
def test_a_task_is_stopped_whether_it_listens_or_not(
    worker: Worker, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "ignore":
        monkeypatch.setattr("randori.studio.worker._PATIENCE", 0.1)
    assert do(worker, name, stop_after=0.0).what == "stopped"
    assert do(worker, "count", to=3) == Answer("done", 3)
