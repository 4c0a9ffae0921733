"""`GET /api/v1`: where everything else is, read from the routes themselves."""

from typing import Literal

from fastapi import Request
from pydantic import Field

from tierwright_server.common.schemas import Answer

PREFIX = "/api/v1"
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]


class LinkOut(Answer):
    """One address of the API."""

    name: str = Field(description="The address without its prefix.")
    href: str = Field(description="The address, relative to the server.")
    methods: list[Method] = Field(description="Its methods.")
    description: str = Field(description="What it returns or creates.")


class RootOut(Answer):
    """All operations that do not need an id."""

    title: str = Field(description="Name of the product.")
    version: str = Field(description="Version of the product and of its models.")
    documentation: str = Field(description="Page that documents the API for people.")
    openapi: str = Field(description="The same for programs, as OpenAPI 3.1.")
    links: list[LinkOut] = Field(
        description="All collections and questions, by address. Items of a collection "
        "are found by id: `/workloads/example`."
    )


async def get_root(request: Request) -> RootOut:
    """List every collection and question, with its address."""
    document = request.app.openapi()
    links = [
        LinkOut(
            name=path.removeprefix(f"{PREFIX}/"),
            href=path,
            methods=[method.upper() for method in operations],
            description=" ".join(
                operation["description"].partition("\n\n")[0].replace("\n", " ")
                for operation in operations.values()
            ),
        )
        for path, operations in document["paths"].items()
        if "{" not in path and path != PREFIX
    ]
    return RootOut(
        title=document["info"]["title"],
        version=document["info"]["version"],
        documentation="/docs",
        openapi=f"{PREFIX}/openapi.json",
        links=sorted(links, key=lambda link: link.href),
    )
