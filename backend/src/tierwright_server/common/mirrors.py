"""Response models that have the fields of a dataclass of the models, declared there alone.

For those that the server only hands on: a field that it reads is written out, so that the type checker knows
it, and `backend/tests/test_mirrors.py` holds such a model to its dataclass.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar, cast, get_type_hints

from pydantic import BaseModel, Field, create_model

from tierwright_server.common.schemas import Usd

Shown = TypeVar("Shown", bound=BaseModel)


def mirrors(
    dataclass: type[Any], **meanings: str
) -> Callable[[type[Shown]], type[Shown]]:
    """Give a response model the fields of a dataclass, in its order and with its types.

    Parameters
    ----------
    dataclass : type
        Of the models.
    **meanings : str
        Descriptions by field; others are those of `http/meanings.py`.

    Returns
    -------
    callable
        Makes of a class without fields, which has name, docstring and base, the model.

    Raises
    ------
    TypeError
        If a meaning is of no field, or the class states fields of its own.
    """
    types = get_type_hints(dataclass)
    names = [each.name for each in dataclasses.fields(dataclass)]
    unknown = meanings.keys() - set(names)
    if unknown:
        raise TypeError(
            f"{dataclass.__name__} has no field {', '.join(sorted(unknown))}"
        )

    def make(model: type[Shown]) -> type[Shown]:
        [base] = model.__bases__
        if model.__annotations__:
            raise TypeError(f"{model.__name__} states fields beside those it mirrors")
        fields: dict[str, Any] = {
            name: (_shown(name, types[name]), Field(description=meanings.get(name)))
            for name in names
        }
        made: Any = create_model(
            model.__name__,
            __base__=base,
            __module__=model.__module__,
            __doc__=model.__doc__,
            **fields,
        )
        return cast("type[Shown]", made)

    return make


def _shown(name: str, type_: Any) -> Any:
    """Return the type of a field in the API, where money is text."""
    if "usd" not in name.split("_"):
        return type_
    return {float: Usd, float | None: Usd | None}.get(type_, type_)
