"""The course of a replay over time, from all that happened: each answer, service and arrival with its time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import pytest


@dataclass
class Tier:
    """What the devices of a tier were asked for and did, in seconds."""

    at_once: int
    asked: list[tuple[float, float]] = field(default_factory=list)
    """When an operation came, and how long it takes a server."""
    services: list[tuple[float, float]] = field(default_factory=list)
    """From when to when a server was busy."""


@dataclass
class Happened:
    """A whole replay: arrivals in order, when each was answered, and the tiers."""

    arrivals: list[float]
    answers: list[float]
    tiers: dict[str, Tier]

    @property
    def last_arrival(self) -> float:
        return self.arrivals[-1] - self.arrivals[0]

    @property
    def end(self) -> float:
        return max(self.answers) - self.arrivals[0]

    def windows(self, length: float) -> list[dict[str, float]]:
        """Cut it into windows, each counted from everything."""
        begin = self.arrivals[0]
        found = []
        for number in range(math.floor(self.end / length) + 1):
            start = begin + number * length
            stop = min(start + length, begin + self.end)
            times = sorted(
                answer - arrival
                for arrival, answer in zip(self.arrivals, self.answers, strict=True)
                if start <= answer < start + length
            )
            window = {
                "start_s": number * length,
                "length_s": stop - start,
                "accesses": sum(start <= at < start + length for at in self.arrivals),
                "answered": len(times),
                "accesses_per_s": len(times) / (stop - start),
                "mean_us": 1e6 * sum(times) / len(times) if times else 0.0,
                "p99_us": 1e6 * times[math.ceil(0.99 * len(times)) - 1]
                if times
                else 0.0,
                "unanswered": sum(at < start + length for at in self.arrivals)
                - sum(at < start + length for at in self.answers),
            }
            for name, tier in self.tiers.items():
                servers = tier.at_once * (stop - start)
                busy = sum(
                    max(0.0, min(to, stop) - max(since, start))
                    for since, to in tier.services
                )
                asked = sum(seconds for at, seconds in tier.asked if start <= at < stop)
                window[f"{name}_utilisation"] = busy / servers
                window[f"{name}_load"] = asked / servers
            found.append(window)
        return found

    def agrees(self, response: dict[str, Any], length: float) -> None:
        """Check a replay whose course has windows of this length."""
        assert response["last_arrival_s"] == pytest.approx(self.last_arrival)
        assert response["duration_s"] == pytest.approx(self.end)
        count = len(self.answers)
        assert response["accesses_per_s"] == pytest.approx(count / self.end)
        assert response["arrivals_per_s"] == pytest.approx(count / self.last_arrival)
        expected = self.windows(length)
        assert len(response["course"]) == len(expected)
        assert response["course"][-1]["unanswered"] == 0
        for theirs, mine in zip(response["course"], expected, strict=True):
            for name, value in mine.items():
                # Percentiles are read from bins.
                off = response["resolution"] / 2 if name == "p99_us" else 1e-6
                assert theirs[name] == pytest.approx(value, rel=off, abs=1e-6), name
            for tier in self.tiers:
                assert 0 <= theirs[f"{tier}_utilisation"] <= 1
