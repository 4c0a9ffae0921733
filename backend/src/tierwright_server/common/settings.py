"""Settings, read from `TIERWRIGHT_…` variables; the unit ends the name."""

import os
import shutil
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from tierwright.common.shipped import shipped_folder
from tierwright.trace.conversions import CHECKPOINT_ACCESSES
from tierwright.trace.sources.address import (
    Address,
    is_address,
    parse,
    parse_store,
    without_secrets,
)
from tierwright_server.common.runtime_error import RuntimeFailure

_INSTALLED_PAGE = Path(__file__).parents[1] / "page_files"


def _default_data_dir() -> Path:
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "tierwright"


_LEAST_JOB_BYTES = 2**30
"""Address space that a job needs for its libraries alone, most of which it never touches."""
_MOST_IN_A_STORE_BYTES = 100 * 2**40
_CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


def memory_bytes() -> int:
    """Return the RAM that this process may use: of the machine, or of its container."""
    ram_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = _CONTAINER_LIMIT.read_text().strip()
    except OSError:
        return ram_bytes
    return min(ram_bytes, int(limit)) if limit.isdigit() else ram_bytes


class Settings(BaseSettings):
    """Everything that can be set from outside."""

    model_config = SettingsConfigDict(
        env_prefix="TIERWRIGHT_",
        extra="ignore",
        # An address may carry a password, which no message may show.
        hide_input_in_errors=True,
    )

    data_dir: Path = Field(default_factory=_default_data_dir)
    database_url: str | None = Field(
        default=None,
        description="A PostgreSQL server (15 or newer) to use instead of the embedded "
        "one",
    )
    statement_timeout_s: Annotated[float, Field(gt=0)] = Field(
        default=30.0, description="Most time of one statement of the server's"
    )
    page_dir: Path = Field(
        default_factory=lambda: (
            _INSTALLED_PAGE
            if _INSTALLED_PAGE.is_dir()
            else shipped_folder() / "frontend" / "dist"
        )
    )
    example_trace: Path = Field(
        default_factory=lambda: (
            shipped_folder() / "fixtures" / "traces" / "tpcc-20w-cut.csv.zst"
        )
    )
    example_production: Path | None = Field(
        default=None,
        description="Production file that the example's recording is scaled to: the shipped one, "
        "unless another recording was set",
    )
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = (
        "127.0.0.1",
        "localhost",
        "[::1]",
    )
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = ()

    head_timeout_s: Annotated[float, Field(gt=0)] = Field(
        default=10.0, description="Most time for the head of a request to arrive"
    )
    body_timeout_s: Annotated[float, Field(gt=0)] = Field(
        default=30.0, description="Most time between two parts of a body"
    )
    max_connections: Annotated[int, Field(ge=1)] = Field(
        default=1000, description="Most open connections of one process"
    )
    max_requests_at_once: Annotated[int, Field(ge=1)] = Field(
        default=256,
        description="Most requests that one process works on; further ones are answered 429",
    )
    server_memory_bytes: Annotated[int, Field(ge=2**29)] = Field(
        default=3 * 2**30,
        description="Most memory of one process that answers requests",
    )
    max_body_bytes: Annotated[int, Field(ge=1024)] = 2**20
    max_state_bytes: Annotated[int, Field(ge=256)] = 32 * 2**10
    upload_max_bytes: Annotated[int, Field(ge=1)] = 20 * 2**30
    storage_limit_bytes: Annotated[int | None, Field(ge=1)] = Field(
        default=None,
        description="Most bytes of uploads, workloads and results together; none: half of the "
        "disk of the data folder",
    )
    analysis_expires_s: Annotated[float, Field(gt=0)] = Field(
        default=30 * 24 * 3600.0,
        description="Results of analyses that were not read for this long are deleted, "
        "as are simulations, sweeps and miniatures first requested this "
        "long ago; they are recomputed on request",
    )
    trace_max_content_bytes: Annotated[int, Field(ge=1)] = Field(
        default=4 * 2**40, description="Most decompressed bytes of one trace"
    )
    trace_max_expansion: Annotated[int, Field(ge=1)] = Field(
        default=1000,
        description="Most decompressed bytes for each byte of a trace's file",
    )
    trace_roots: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Folders whose files may be registered by path, and prefixes such "
        "as s3://bucket/prefix (gs://, az://) whose objects may be "
        "fetched, separated by commas",
    )
    store: str | None = Field(
        default=None,
        description="Where the files of the installation are kept: a prefix of a store such as "
        "s3://bucket/tierwright (gs://, az://), or file:///folder that every host sees; "
        "none: in the data folder",
    )
    dask: Annotated[str | None, Field(pattern=r"^(tcp|tls)://[^\s/?#@]+$")] = Field(
        default=None,
        description="Scheduler of a Dask cluster that replays the sweeps, miniatures and advisor's "
        "finalists of this host's jobs, such as tcp://10.0.0.5:8786; none: the job itself does",
    )
    store_cache_bytes: Annotated[int | None, Field(ge=0)] = Field(
        default=None,
        description="Most bytes of the copies that a host keeps of files of the store; none: half "
        "of the disk of the data folder",
    )
    store_checkpoint_interval_s: Annotated[float, Field(gt=0)] = Field(
        default=10.0,
        description="Least time between two copies of an unfinished conversion to the store",
    )
    object_store_endpoint: Annotated[
        str | None, Field(pattern=r"^https?://[^\s/?#@]+/?$")
    ] = Field(
        default=None,
        description="Address of an S3 store that is not Amazon's; none: as "
        "AWS_ENDPOINT_URL says",
    )
    object_store_timeout_s: Annotated[float, Field(gt=0)] = 20.0
    object_store_retries: Annotated[int, Field(ge=0)] = 6
    upload_expires_s: Annotated[float, Field(gt=0)] = 7 * 24 * 3600.0
    min_free_bytes: Annotated[int, Field(ge=0)] = 2**30
    preview_timeout_s: Annotated[float, Field(gt=0)] = 20.0
    preview_memory_bytes: Annotated[int, Field(ge=2**26)] = 2**29
    formula_timeout_s: Annotated[float, Field(gt=0)] = 10.0
    formula_memory_bytes: Annotated[int, Field(ge=2**28)] = 2**30
    replay_inline_s: Annotated[float, Field(ge=0)] = Field(
        default=10.0,
        description="Replays that decide a comparison and are expected to take longer become jobs",
    )
    curve_cache_bytes: Annotated[int, Field(ge=0)] = Field(
        default=2**29,
        description="Most bytes of curves that the server keeps in memory",
    )
    analysis_cache_bytes: Annotated[int, Field(ge=0)] = Field(
        default=2**27,
        description="Most bytes of results of analyses that the server keeps in memory",
    )

    checkpoint_accesses: Annotated[int, Field(ge=1)] = Field(
        default=CHECKPOINT_ACCESSES,
        description="Page accesses between two checkpoints of a conversion",
    )
    worker_concurrency: Annotated[int, Field(ge=1)] = 2
    workers: Annotated[int, Field(ge=0)] = Field(
        default=1, description="Worker processes that share this machine"
    )
    job_memory_bytes: Annotated[int | None, Field(ge=2**28)] = None
    heartbeat_interval_s: Annotated[float, Field(gt=0)] = 5.0
    worker_stale_s: Annotated[float, Field(gt=0)] = 30.0
    reap_interval_s: Annotated[float, Field(gt=0)] = 2.0
    max_attempts: Annotated[int, Field(ge=1)] = 3
    poll_interval_s: Annotated[float, Field(gt=0)] = 2.0

    @model_validator(mode="after")
    def _with_example(self) -> Self:
        """Scale the shipped recording to the shipped production, no other recording."""
        if (
            self.example_production is None
            and "example_trace" not in self.model_fields_set
        ):
            self.example_production = (
                shipped_folder() / "fixtures" / "production" / "tpcc-4tib.toml"
            )
        return self

    @field_validator("allowed_hosts", "allowed_origins", "trace_roots", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("trace_roots", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        if isinstance(value, tuple | list):
            return tuple(
                str(part) if isinstance(part, Path) else part for part in value
            )
        return value

    @field_validator("trace_roots")
    @classmethod
    def _check_roots(cls, roots: tuple[str, ...]) -> tuple[str, ...]:
        for root in filter(is_address, roots):
            try:
                parse(root)
            except ValueError as error:
                raise ValueError(f"`{root}` {error}") from None
        return roots

    @field_validator("store")
    @classmethod
    def _check_store(cls, text: str | None) -> str | None:
        if not text:
            return None
        try:
            parse_store(text)
        except ValueError as error:
            raise ValueError(f"`{without_secrets(text)}` {error}") from None
        return text

    @property
    def store_address(self) -> Address:
        """Prefix of the store that keeps the files of the installation, if one is set."""
        if self.store is None:
            raise RuntimeError("no store is set")
        return parse_store(self.store)

    @property
    def most_cached_bytes(self) -> int:
        """Limit of the copies of files of the store: as set, or half of the disk of the data folder."""
        if self.store_cache_bytes is not None:
            return self.store_cache_bytes
        return shutil.disk_usage(self.data_dir).total // 2

    @property
    def trace_folders(self) -> list[Path]:
        """Folders whose files may be registered by path."""
        return [Path(root) for root in self.trace_roots if not is_address(root)]

    @property
    def trace_prefixes(self) -> list[Address]:
        """Prefixes of object stores whose objects may be fetched."""
        return [parse(root) for root in self.trace_roots if is_address(root)]

    @property
    def uploads_dir(self) -> Path:
        return self.data_dir / "uploads"

    @property
    def contents_dir(self) -> Path:
        return self.data_dir / "contents"

    @property
    def work_dir(self) -> Path:
        return self.data_dir / "work"

    @property
    def most_stored_bytes(self) -> int:
        """Limit of all that is stored: as set, or half of the disk of the data folder; of a store, 100 TiB."""
        if self.storage_limit_bytes is not None:
            return self.storage_limit_bytes
        if self.store is not None:
            return _MOST_IN_A_STORE_BYTES
        return shutil.disk_usage(self.data_dir).total // 2

    @cached_property
    def job_address_space_bytes(self) -> int:
        """Cap of a job's address space: as set, or its share of three quarters of the RAM."""
        if self.job_memory_bytes is not None:
            return self.job_memory_bytes
        jobs = max(1, self.workers) * self.worker_concurrency
        return max(_LEAST_JOB_BYTES, memory_bytes() * 3 // 4 // jobs)

    def make_folders(self) -> None:
        """Make the data folders, readable by their owner only."""
        for folder in (
            self.data_dir,
            self.uploads_dir,
            self.contents_dir,
            self.work_dir,
        ):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def settings_of_environment(**changes: Any) -> Settings:
    """Read the settings from the environment.

    Raises
    ------
    RuntimeFailure
        With the variables that are wrong, and what is wrong with them.
    """
    try:
        return Settings(**changes)
    except ValidationError as error:
        wrong = "; ".join(
            f"TIERWRIGHT_{'_'.join(map(str, each['loc'])).upper()}: "
            f"{each['msg'].removeprefix('Value error, ')}"
            for each in error.errors(include_input=False, include_url=False)
        )
        raise RuntimeFailure(
            wrong, "correct these variables of the environment"
        ) from None
