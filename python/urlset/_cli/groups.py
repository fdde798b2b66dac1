"""Groups of options that several verbs have, as one value each."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., None])


def option_group(
    keyword: str,
    options: Callable[..., object],
    *,
    complete: Callable[[dict[str, Any], Mapping[str, Any]], None] | None = None,
) -> Callable[[F], F]:
    """Return a decorator that gives a verb further options behind its own.

    Args:
        keyword: The keyword under which the verb takes what they mean.
        options: Has the options as its parameters, and returns what they mean.
        complete: Completes what was given for them by the arguments of the verb itself.
    """
    parameters = inspect.signature(options, eval_str=True).parameters

    def decorate(verb: F) -> F:
        @functools.wraps(verb)
        def with_options(**arguments: Any) -> None:
            given = {name: arguments.pop(name) for name in parameters}
            if complete is not None:
                complete(given, arguments)
            verb(**arguments, **{keyword: options(**given)})

        own = inspect.signature(verb, eval_str=True)
        kept = [each for each in own.parameters.values() if each.name != keyword]
        rest = [each for each in kept if each.kind is each.VAR_KEYWORD]
        with_options.__signature__ = own.replace(  # type: ignore[attr-defined]  # it is what typer reads
            parameters=[*kept[: len(kept) - len(rest)], *parameters.values(), *rest]
        )
        return with_options  # type: ignore[return-value]

    return decorate
