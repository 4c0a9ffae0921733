"""Kinds and states of runs; imports nothing, so that a job starts fast."""

from enum import StrEnum


class RunKind(StrEnum):
    """What a job does."""

    FETCH = "fetch"
    INGEST = "ingest"
    SIMULATE = "simulate"
    SWEEP = "sweep"
    MINIATURE = "miniature"
    POOL_SPLIT = "pool_split"
    POOL_ADVISOR = "pool_advisor"
    WINDOWS = "windows"
    SAMPLED_PROFILE = "sampled_profile"
    SUMMARIES = "summaries"
    RESPONSE_REPLAY = "response_replay"
    CATEGORY_COUNTS = "category_counts"
    ADVICE_CHECK = "advice_check"
    QUOTE_RANKING = "quote_ranking"
    TRANSACTION_STUDY = "transaction_study"


class RunStatus(StrEnum):
    """State of a job; the last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


FINAL = frozenset({RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED})
