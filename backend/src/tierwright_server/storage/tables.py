"""The tables. Migrations make them; a test compares the two."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    DateTime,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Text,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


def now() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)


class Table(DeclarativeBase):
    """Base of all tables."""

    type_annotation_map = {
        str: Text,
        int: BigInteger,
        float: Double,
        bytes: LargeBinary,
        datetime: DateTime(timezone=True),
        dict[str, Any]: JSONB,
        list[Any]: JSONB,
    }


class OwnTable(Table):
    """Things of the catalogue that somebody added."""

    __abstract__ = True
    id: Mapped[str] = mapped_column(primary_key=True)
    document: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=now)
    updated_at: Mapped[datetime] = mapped_column(default=now)


class Device(OwnTable):
    """An own device; shipped ones live in files."""

    __tablename__ = "devices"


class PriceBook(OwnTable):
    """An own price book."""

    __tablename__ = "price_books"


class Upload(Table):
    """A file on its way in; its bytes lie in the uploads folder under its id.

    One registered by its path has a `source_path` and stays where it is. One fetched from
    an object store has a `source_url`, and the run that fetches it.

    How many bytes have arrived is the file's size: after a crash nothing else is true.
    """

    __tablename__ = "uploads"
    __table_args__ = (
        CheckConstraint("size_bytes >= 0", name="size"),
        CheckConstraint(
            "NOT complete OR sha256 IS NOT NULL OR source_path IS NOT NULL",
            name="complete",
        ),
        Index("uploads_expires_at", "expires_at"),
    )
    id: Mapped[str] = mapped_column(primary_key=True)
    filename: Mapped[str | None]
    size_bytes: Mapped[int]
    complete: Mapped[bool] = mapped_column(Boolean, default=False)
    expected_sha256: Mapped[str | None]
    sha256: Mapped[str | None]
    source_path: Mapped[str | None]
    source_mtime_ns: Mapped[int | None]
    source_url: Mapped[str | None]
    source_etag: Mapped[str | None]
    run_id: Mapped[str | None] = mapped_column(
        ForeignKey("runs.id", ondelete="SET NULL")
    )
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]


class Content(Table):
    """A canonical trace and its curves, stored once under its content id."""

    __tablename__ = "contents"
    id: Mapped[str] = mapped_column(primary_key=True)
    summary: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=now)


class Run(Table):
    """A job as the user sees it: the truth about its state."""

    __tablename__ = "runs"
    __table_args__ = (
        CheckConstraint(
            "status IN ('queued','running','succeeded','failed','cancelled')",
            name="status",
        ),
        Index("runs_created_at", "created_at"),
        Index(
            "runs_open",
            "status",
            postgresql_where=text("status IN ('queued','running')"),
        ),
    )
    id: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    subject_id: Mapped[str]
    title: Mapped[str]
    status: Mapped[str] = mapped_column(default="queued")
    phase: Mapped[str | None]
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int | None]
    unit: Mapped[str] = mapped_column(default="bytes")
    rate_per_s: Mapped[float | None]
    accesses: Mapped[int | None]
    accesses_per_s: Mapped[float | None]
    requests: Mapped[int | None]
    requests_per_s: Mapped[float | None]
    message: Mapped[str | None]
    error: Mapped[str | None]
    hint: Mapped[str | None]
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    cancel_requested: Mapped[bool] = mapped_column(Boolean, default=False)
    worker_id: Mapped[int | None] = mapped_column(Integer)
    created_at: Mapped[datetime] = mapped_column(default=now)
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    updated_at: Mapped[datetime] = mapped_column(default=now)


class Workload(Table):
    """A trace under a name: ready when it has content, else as its run stands.

    `reading` is the document that says how its file is read, as it was asked for.
    """

    __tablename__ = "workloads"
    __table_args__ = (
        Index("workloads_content_id", "content_id"),
        Index("workloads_upload_id", "upload_id"),
    )
    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    example: Mapped[bool] = mapped_column(Boolean, default=False)
    filename: Mapped[str | None]
    upload_id: Mapped[str | None] = mapped_column(
        ForeignKey("uploads.id", ondelete="SET NULL")
    )
    content_id: Mapped[str | None] = mapped_column(ForeignKey("contents.id"))
    reading: Mapped[dict[str, Any]] = mapped_column(default=dict)
    conversion: Mapped[dict[str, Any] | None]
    run_id: Mapped[str | None] = mapped_column(
        ForeignKey("runs.id", ondelete="SET NULL")
    )
    created_at: Mapped[datetime] = mapped_column(default=now)


class Scenario(Table):
    """A screen of the page under a name, with the answer it gave when it was saved.

    A deleted one stays for a while, so that the deletion can be undone with its answer.
    """

    __tablename__ = "scenarios"
    __table_args__ = (
        Index(
            "scenarios_name",
            func.lower(text("name")),
            unique=True,
            postgresql_where=text("deleted_at IS NULL"),
        ),
        Index("scenarios_updated_at", "updated_at"),
    )
    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    question: Mapped[str]
    state: Mapped[dict[str, Any]]
    version: Mapped[int] = mapped_column(Integer, default=1)
    model_version: Mapped[str | None]
    asks: Mapped[dict[str, Any] | None]
    answer: Mapped[dict[str, Any] | None]
    answered_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(default=now)
    updated_at: Mapped[datetime] = mapped_column(default=now)
    deleted_at: Mapped[datetime | None]


class AdviceTemplate(Table):
    """What a team asks the advisor of every workload, under a name."""

    __tablename__ = "advice_templates"
    __table_args__ = (
        Index("advice_templates_name", func.lower(text("name")), unique=True),
    )
    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    template: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=now)
    updated_at: Mapped[datetime] = mapped_column(default=now)


class QuoteRanking(Table):
    """A ranking of quotes as it was answered: its id is the hash of all that was asked."""

    __tablename__ = "quote_rankings"
    __table_args__ = (Index("quote_rankings_created_at", "created_at"),)
    id: Mapped[str] = mapped_column(primary_key=True)
    answer: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(default=now)


class TransactionStudy(Table):
    """Events of transactions through several systems: what was asked, and the counts as they come.

    Its id is the hash of the file and the inputs. `rows` are counts by system, by buffer size; times are not
    stored, they follow from the counts.
    """

    __tablename__ = "transaction_studies"
    __table_args__ = (Index("transaction_studies_created_at", "created_at"),)
    id: Mapped[str] = mapped_column(primary_key=True)
    upload_id: Mapped[str | None] = mapped_column(
        ForeignKey("uploads.id", ondelete="SET NULL")
    )
    filename: Mapped[str]
    inputs: Mapped[dict[str, Any]]
    survey: Mapped[dict[str, Any] | None]
    plan: Mapped[dict[str, Any] | None]
    rows: Mapped[dict[str, Any]] = mapped_column(default=dict)
    complete: Mapped[bool] = mapped_column(Boolean, default=False)
    core_version: Mapped[str]
    run_id: Mapped[str | None] = mapped_column(
        ForeignKey("runs.id", ondelete="SET NULL")
    )
    created_at: Mapped[datetime] = mapped_column(default=now)


class LineMapping(Table):
    """What the user stated that part numbers, models of drives and SKUs are: one row."""

    __tablename__ = "line_mappings"
    id: Mapped[str] = mapped_column(primary_key=True)
    lines: Mapped[list[Any]]
    updated_at: Mapped[datetime] = mapped_column(default=now)


class Worker(Table):
    """A worker process; it holds the advisory lock of its id while it lives."""

    __tablename__ = "workers"
    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    host: Mapped[str]
    pid: Mapped[int] = mapped_column(Integer)
    version: Mapped[str]
    started_at: Mapped[datetime] = mapped_column(default=now)
    heartbeat_at: Mapped[datetime] = mapped_column(default=now)


class Installation(Table):
    """What every host must have in common, as the server states it at its start: one row."""

    __tablename__ = "installation"
    __table_args__ = (CheckConstraint("id = 1", name="one"),)
    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    version: Mapped[str]
    store: Mapped[str | None]
    store_id: Mapped[str | None]


class IdempotencyKey(Table):
    """A key that a client sent, with the answer that it was given."""

    __tablename__ = "idempotency_keys"
    __table_args__ = (Index("idempotency_keys_created_at", "created_at"),)
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[str]
    answer: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(default=now)


class Replay(Table):
    """One replay of a content, kept for every sweep that asks for the same."""

    __tablename__ = "replays"
    content_id: Mapped[str] = mapped_column(
        ForeignKey("contents.id", ondelete="CASCADE"), primary_key=True
    )
    key: Mapped[str] = mapped_column(primary_key=True)
    result: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=now)


class Result(Table):
    """What a job makes of a content: a check, a sweep, an estimate or an analysis.

    Its id is the hash of everything it depends on; its kind is that of its run. The `plan` is
    what the job follows beside the inputs: a check's figures of the model, the configurations
    of a sweep or an estimate; or what was asked for, where the inputs are of its recording. A check's `result` stands here; the replays of sweeps and
    estimates are rows of their own, the arrays of an analysis lie beside the content's curves.
    """

    __tablename__ = "results"
    __table_args__ = (
        Index("results_content_id", "content_id"),
        Index("results_kind", "kind", "created_at"),
    )
    id: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    content_id: Mapped[str] = mapped_column(
        ForeignKey("contents.id", ondelete="CASCADE")
    )
    workload_id: Mapped[str]
    inputs: Mapped[dict[str, Any]]
    plan: Mapped[Any] = mapped_column(JSONB(none_as_null=True), nullable=True)
    result: Mapped[dict[str, Any] | None]
    complete: Mapped[bool] = mapped_column(Boolean, default=False)
    core_version: Mapped[str]
    run_id: Mapped[str | None] = mapped_column(
        ForeignKey("runs.id", ondelete="SET NULL")
    )
    created_at: Mapped[datetime] = mapped_column(default=now)
