"""The option of the verbs that read object stores: how a store is reached."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias, TypeVar

import typer

from urlset._cli.options import option_values
from urlset._config.publish_settings import PublishSettings

F = TypeVar("F", bound=Callable[..., None])

StoreOptions: TypeAlias = dict[str, Any] | None


def _option(
    *,
    store: Annotated[
        list[str] | None,
        typer.Option(
            "--store-option",
            metavar="NAME=VALUE",
            help="Option of an object store, such as endpoint or region; secrets stay in the environment.",
            rich_help_panel="From object stores",
        ),
    ] = None,
) -> StoreOptions:
    """Return what the option means."""
    found: StoreOptions = option_values(PublishSettings, {"store": store}).get("store")
    return found


def from_stores(verb: F) -> F:
    """Give a verb the option of object stores behind its own. It reaches the verb as its keyword `store`."""

    @functools.wraps(verb)
    def with_store(**arguments: Any) -> None:
        verb(**arguments | {"store": _option(store=arguments["store"])})

    own = inspect.signature(verb, eval_str=True)
    option = inspect.signature(_option, eval_str=True).parameters["store"]
    with_store.__signature__ = own.replace(  # type: ignore[attr-defined]  # it is what typer reads
        parameters=[option if each.name == "store" else each for each in own.parameters.values()]
    )
    return with_store  # type: ignore[return-value]
