"""The machine that the original writes into transposed chunks (`docs/spec/array_record.md`, section 6.8).

Only needed where bytes are compared: any other machine that runs through the same tokens reads the same.
"""

from __future__ import annotations

import collections
import dataclasses
import heapq
from collections.abc import Sequence

from tests.naive import transposed
from tests.naive.columns import END, START, Columns, Token
from tests.naive.transposed import Machine, State
from tests.naive.transposing import Shape, lay_out, moves_of, nothing, serialize, state_of

REACH = 64
GATEWAY_NUMBER = 2**32 - 1
OFTEN = 10
NOWHERE = 2**64


def as_original(records: Sequence[bytes], codec: str, level: int | None = None, bucket_size: int = 256) -> bytes:
    """A transposed chunk's data as the original would have written it."""
    if not records:
        return nothing(codec, level)
    split = Columns(records)
    buckets, buffer_numbers = lay_out(split, codec, Shape(bucket_size=bucket_size))
    machine = Builder(split.tokens).machine(buffer_numbers)
    machine.buffers = [buffer for bucket in buckets for buffer in bucket]
    return serialize(machine, list(map(len, buckets)), codec, level)


@dataclasses.dataclass(eq=False)
class Entry:
    """A state to be: of a token, a gateway of one, or a no-op that leads to a block of others."""

    weight: int
    number: int
    token: int | None = None
    gateway_of: int | None = None
    base: int = 0


class Builder:
    """Tokens are numbers here, by first appearance."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = _in_order_of_appearance(tokens)
        numbers = {token: number for number, token in enumerate(self.tokens)}
        self.run = [numbers[token] for token in reversed(tokens)]
        self.states: list[Entry] = []
        self.source: dict[int, int] = {}
        self.place: dict[tuple[int | None, int], int] = {}
        self.gateways: dict[int, int] = {}
        self.bases: dict[int, int] = {}
        self.left_out: dict[int, list[int]] = {}
        self.follows: list[collections.Counter[int]] = [collections.Counter() for _ in self.tokens]
        for before, after in zip(self.run, self.run[1:], strict=False):
            self.follows[before][after] += 1

    def machine(self, buffer_numbers: dict[int, int]) -> Machine:
        """The machine, whose buffers are still to be added."""
        arrivals = self._lay_out_private_lists()
        self.public_start = len(self.states)
        self._lay_out([Entry(count, number, number) for number, count in arrivals.items() if count], None)
        for owner, gateway in self.gateways.items():
            self.states[gateway].base = self._public_base(self.left_out[owner])
        for number, followers in enumerate(self.follows):
            if number not in self.bases:
                self.bases[number] = self._public_base(sorted(followers)) if followers else 0
        first = min(place for place, entry in enumerate(self.states) if entry.token == self.run[0])
        states = [self._state(entry, buffer_numbers) for entry in self.states]
        return Machine(states, first, [], moves_of(self._offsets()))

    def _lay_out_private_lists(self) -> dict[int, int]:
        """What arrives at each token in other ways is returned."""
        arrivals = dict.fromkeys(range(len(self.tokens)), 0)
        for followers in self.follows:
            for number, count in followers.items():
                arrivals[number] += count
        arrivals[self.run[0]] = max(arrivals[self.run[0]], 1)
        for followers in self.follows:
            for number, count in followers.items():
                arrivals[number] -= count if count >= OFTEN else 0
        for owner, followers in enumerate(self.follows):
            private = {number for number, count in followers.items() if count >= OFTEN}
            exclusive = {number for number, count in followers.items() if count == arrivals[number]} - private
            if not private | exclusive:
                continue
            left_out = sorted(set(followers) - private - exclusive)
            if len(left_out) == 1:
                exclusive.add(left_out.pop())
            for number in exclusive:
                arrivals[number] -= followers[number]
            entries = [Entry(followers[number], number, number) for number in private | exclusive]
            if left_out:
                weight = sum(followers[number] for number in left_out)
                entries.append(Entry(weight, GATEWAY_NUMBER, gateway_of=owner))
                self.left_out[owner] = left_out
            self.bases[owner] = len(self.states)
            self._lay_out(entries, owner)
        return arrivals

    def _lay_out(self, entries: list[Entry], owner: int | None) -> None:
        """The heaviest first; where one move cannot reach all, blocks of the lightest behind no-ops."""
        start = len(self.states)
        total = len(entries)
        if total > REACH:
            total += (total - 2) // (REACH - 1)
        laid: list[Entry] = []  # from the last to the first
        heap = [(entry.weight, -entry.number, entry) for entry in entries]
        heapq.heapify(heap)
        block_size, block, no_ops = (total - 1) % REACH + 1, list[Entry](), 0
        while heap:
            entry = heapq.heappop(heap)[2]
            laid.append(entry)
            block.append(entry)
            if len(block) == block_size and heap:
                base = start + total - len(laid)
                weight = sum(member.weight for member in block) % 2**32
                number = len(self.tokens) + no_ops
                heapq.heappush(heap, (weight, -number, Entry(weight, number, base=base)))
                block_size, block, no_ops = REACH, [], no_ops + 1
        self.states += reversed(laid)
        for place in range(start, len(self.states)):
            self._register(place, owner, start + total)

    def _register(self, place: int, owner: int | None, end: int) -> None:
        entry = self.states[place]
        if entry.token is not None:
            self.place[owner, entry.token] = place
        elif entry.gateway_of is not None:
            self.gateways[entry.gateway_of] = place
        else:
            for reached in range(entry.base, min(entry.base + REACH, end)):
                self.source[reached] = place

    def _public_base(self, destinations: Sequence[int]) -> int:
        """The lowest state from which all of them can be reached."""
        base = low = NOWHERE
        for destination in destinations:
            place = self.place[None, destination]
            while not base <= place < base + REACH:
                if base < place:
                    place = self.source[place]
                    continue
                above: int | None
                if base == NOWHERE:
                    above = self.source.get(place)
                else:
                    low = min(low, self.source[base])
                    above = self.source.get(self.source[base])
                base = self.public_start if above is None else self.states[above].base
            low = min(low, place)
        return low

    def _offsets(self) -> list[int]:
        offsets: list[int] = []
        for before, after in zip(self.run, self.run[1:], strict=False):
            if self._is_implicit(before):
                continue
            base = self.bases[before]
            if (before, after) in self.place:
                offsets += self._path(base, self.place[before, after])
                continue
            if before in self.gateways:
                offsets += self._path(base, self.gateways[before])
                base = self.states[self.gateways[before]].base
            offsets += self._path(base, self.place[None, after])
        return offsets

    def _path(self, base: int, place: int) -> list[int]:
        steps: list[int] = []
        while not base <= place < base + REACH:
            above = self.source[place]
            steps.append(place - self.states[above].base)
            place = above
        return [place - base, *reversed(steps)]

    def _is_implicit(self, number: int) -> bool:
        return len(self.follows[number]) == 1 and number != self.run[-1]

    def _state(self, entry: Entry, buffer_numbers: dict[int, int]) -> State:
        if entry.token is None:
            return State(transposed.NO_OP, entry.base, is_implicit=False)
        token, base = self.tokens[entry.token], self.bases[entry.token]
        return state_of(token, base, buffer_numbers, is_implicit=self._is_implicit(entry.token))


def _in_order_of_appearance(tokens: Sequence[Token]) -> list[Token]:
    """Each token once; the end of a submessage directly behind its start."""
    ends = {token.node: token for token in tokens if token.subtype == END}
    found: dict[Token, None] = {}
    for token in tokens:
        found[token] = None
        if token.subtype == START:
            found[ends[token.node]] = None
    return list(found)
