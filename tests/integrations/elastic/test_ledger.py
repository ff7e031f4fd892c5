"""The rules of dispatch, in any order of events: one commit a task, and none by a lease that has ended."""

from __future__ import annotations

import copy
import json

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

from octavo.integrations.elastic._ledger import Ledger

LEASE_S = 10.0


def test_tasks_are_handed_out_in_order_and_once():
    ledger = Ledger(3, lease_s=LEASE_S)
    leases = [ledger.lease(token, "w", 0) for token in "abcd"]
    assert [lease and lease.task for lease in leases] == [0, 1, 2, None]
    assert not ledger.is_finished
    assert [ledger.commit(token, token, [], 1) for token in "abc"] == [True, True, True]
    assert ledger.is_finished
    assert [entry.result for _, entry in ledger.with_state("done")] == ["a", "b", "c"]


def test_no_tasks_are_finished_at_once():
    assert Ledger(0, epochs=3, seed=1).is_finished


def test_a_question_that_is_asked_again_has_the_same_answer():
    ledger = Ledger(2, lease_s=LEASE_S)
    assert ledger.lease("a", "w", 0) == ledger.lease("a", "w", 1)
    assert ledger.commit("a", 1, [], 2)
    assert ledger.commit("a", 2, [], 3)
    assert ledger.entry(0, 0).result == 1
    assert ledger.lease("a", "w", 4) is None


def test_a_lease_ends_at_its_deadline():
    ledger = Ledger(1, lease_s=LEASE_S)
    ledger.lease("a", "w", 0)
    assert ledger.commit("a", 1, [], 9.9)
    ledger = Ledger(1, lease_s=LEASE_S)
    ledger.lease("a", "w", 0)
    assert not ledger.commit("a", 1, [], 10)
    again = ledger.lease("b", "w", 10)
    assert again is not None
    assert again.attempt == 2
    assert not ledger.commit("a", 1, [], 11)
    assert ledger.commit("b", 2, [], 12)
    assert not ledger.commit("a", 1, [], 13)


def test_a_heartbeat_puts_the_deadline_off_but_not_for_ever():
    ledger = Ledger(1, lease_s=LEASE_S, timeout_s=25)
    ledger.lease("a", "w", 0)
    assert ledger.renew("a", 9)
    assert ledger.renew("a", 18)
    assert ledger.renew("a", 24)
    assert not ledger.renew("a", 25)
    assert not ledger.commit("a", 1, [], 25)


def test_a_task_that_fails_too_often_is_put_aside_with_its_errors():
    ledger = Ledger(1, lease_s=LEASE_S, max_attempts=3)
    ledger.lease("a", "w", 0)
    ledger.fail("a", "first", 1)
    ledger.lease("b", "process 7", 2)
    ledger.lease("c", "w", 12)  # b was not heard of
    assert not ledger.is_finished
    ledger.fail("c", "third", 13)
    assert ledger.is_finished
    errors = ledger.entry(0, 0).errors
    assert [errors[0], errors[2]] == ["first", "third"]
    assert "not reported in time by process 7" in errors[1]
    assert ledger.lease("d", "w", 14) is None
    assert ledger.retry_failed() == 1
    assert ledger.lease("e", "w", 15) is not None
    assert ledger.commit("e", 1, [], 16)
    assert ledger.is_finished


def test_a_task_that_is_given_back_is_not_blamed():
    ledger = Ledger(2, lease_s=LEASE_S, max_attempts=1)
    for number in range(20):
        lease = ledger.lease(str(number), "w", 0)
        assert lease is not None
        assert (lease.task, lease.attempt) == (0, 1)
        assert ledger.release(str(number), 1)
    assert ledger.entry(0, 0).errors == []


def test_an_epoch_begins_when_the_one_before_is_over():
    ledger = Ledger(2, epochs=2, lease_s=LEASE_S)
    ledger.lease("a", "w", 0)
    ledger.lease("b", "w", 0)
    ledger.commit("a", 1, [], 1)
    assert ledger.lease("c", "w", 1) is None
    ledger.commit("b", 1, [], 1)
    lease = ledger.lease("c", "w", 1)
    assert lease is not None
    assert (lease.epoch, lease.task) == (1, 0)


def test_a_seed_gives_every_epoch_its_own_order():
    ledger = Ledger(50, epochs=2, lease_s=LEASE_S, seed=3)
    orders: dict[int, list[int]] = {0: [], 1: []}
    for number in range(100):
        lease = ledger.lease(str(number), "w", 0)
        assert lease is not None
        orders[lease.epoch].append(lease.task)
        ledger.commit(str(number), None, [], 0)
    assert sorted(orders[0]) == sorted(orders[1]) == list(range(50))
    assert orders[0] != orders[1] != list(range(50))


class Dispatch(RuleBasedStateMachine):
    """Workers lease, die, wake up late and commit; the dispatcher dies and is restored from what it wrote down."""

    tokens = Bundle("tokens")

    @initialize(
        count=st.integers(1, 4), epochs=st.integers(1, 3), attempts=st.integers(1, 3), seed=st.none() | st.just(5)
    )
    def begin(self, count, epochs, attempts, seed):
        self.options = {"epochs": epochs, "lease_s": LEASE_S, "max_attempts": attempts, "seed": seed}
        self.count, self.epochs = count, epochs
        self.now = 0.0
        self.ledger = Ledger(count, **self.options)
        self.kept = [self.ledger.everything()]
        self.deadlines = {}  # by token, of leases that the model believes in
        self.task_of = {}
        self.accepted = {}  # by task, the token
        self.failed = set()
        self.made = 0

    def keep(self):
        self.kept.append(json.loads(json.dumps(self.ledger.take_changes())))

    def lapse(self):
        self.deadlines = {token: at for token, at in self.deadlines.items() if at > self.now}

    @rule(target=tokens)
    def lease(self):
        self.lapse()
        self.made += 1
        token = str(self.made)
        lease = self.ledger.lease(token, "w", self.now)
        self.keep()
        if lease is None:
            return multiple()
        key = lease.epoch, lease.task
        assert key not in self.accepted
        assert key not in [self.task_of[other] for other in self.deadlines]
        self.task_of[token] = key
        self.deadlines[token] = self.now + LEASE_S
        return token

    @rule(token=tokens)
    def ask_again(self, token):
        self.lapse()
        if token in self.deadlines:
            lease = self.ledger.lease(token, "w", self.now)
            assert lease is not None
            assert (lease.epoch, lease.task) == self.task_of[token]

    @rule(token=tokens)
    def heartbeat(self, token):
        self.lapse()
        assert self.ledger.renew(token, self.now) == (token in self.deadlines)
        self.keep()
        if token in self.deadlines:
            self.deadlines[token] = self.now + LEASE_S

    @rule(token=tokens)
    def commit(self, token):
        self.lapse()
        key = self.task_of[token]
        was_accepted = self.accepted.get(key) == token
        expected = was_accepted or token in self.deadlines
        assert self.ledger.commit(token, token, [], self.now) == expected
        self.keep()
        if expected and not was_accepted:
            assert key not in self.accepted
            self.accepted[key] = token
            del self.deadlines[token]

    @rule(token=tokens)
    def fail(self, token):
        self.lapse()
        assert self.ledger.fail(token, "error", self.now) == (token in self.deadlines)
        self.keep()
        self.deadlines.pop(token, None)

    @rule(token=tokens)
    def release(self, token):
        self.lapse()
        assert self.ledger.release(token, self.now) == (token in self.deadlines)
        self.keep()
        self.deadlines.pop(token, None)

    @rule(seconds=st.sampled_from([1.0, 9.0, 10.0, 30.0]))
    def time_passes(self, seconds):
        self.now += seconds

    @rule()
    def retry(self):
        self.lapse()
        self.ledger.retry_failed()
        self.keep()

    @rule()
    def the_dispatcher_dies(self):
        self.ledger.expire(self.now)
        self.keep()
        self.lapse()
        self.ledger = Ledger(self.count, **self.options)
        self.now += 5
        self.ledger.apply([change for page in copy.deepcopy(self.kept) for change in page], self.now)
        self.deadlines = dict.fromkeys(self.deadlines, self.now + LEASE_S)

    @invariant()
    def what_was_committed_stays(self):
        done = {key: entry.result for key, entry in self.ledger.with_state("done")} if hasattr(self, "ledger") else {}
        assert done == getattr(self, "accepted", {})

    @invariant()
    def it_is_finished_when_nothing_is_left(self):
        if hasattr(self, "ledger"):
            keys = [(epoch, task) for epoch in range(self.epochs) for task in range(self.count)]
            is_left = any(self.ledger.entry(*key).state in {"pending", "leased"} for key in keys)
            assert self.ledger.is_finished == (not is_left)

    def teardown(self):
        """Whatever has happened, workers that live finish the job."""
        if not hasattr(self, "ledger"):
            return
        self.now += LEASE_S
        self.ledger.retry_failed()
        for number in range(10 * self.count * self.epochs):
            token = f"last {number}"
            if self.ledger.lease(token, "w", self.now) is None:
                break
            assert self.ledger.commit(token, token, [], self.now)
        # Tasks that lost their last attempt to time are put aside, and no others are left.
        assert self.ledger.is_finished
        states = [self.ledger.entry(epoch, task).state for epoch in range(self.epochs) for task in range(self.count)]
        assert set(states) <= {"done", "failed"}


Dispatch.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestDispatch = Dispatch.TestCase
