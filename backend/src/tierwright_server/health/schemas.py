"""Shape of the health answer."""

from typing import Literal

from pydantic import Field

from tierwright_server.common.schemas import Answer


class HealthOut(Answer):
    """Whether the server, its database and its workers are up."""

    status: Literal["ok", "degraded"]
    version: str
    database: Literal["ok", "unreachable"]
    workers_alive: int = Field(description="Workers whose heartbeat is fresh.")


class LiveOut(Answer):
    """The process answers."""

    status: Literal["alive"]
    version: str


class ReadyOut(Answer):
    """The database answers and the data folder can be written."""

    status: Literal["ready"]
    version: str
    workers_alive: int = Field(
        description="Workers whose heartbeat is fresh; without any, jobs wait."
    )
