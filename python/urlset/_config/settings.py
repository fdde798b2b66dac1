"""Settings: the options of a table of the file. They are declared by the verbs, and here only put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

from urlset._config.kinds import READERS
from urlset._config.toml import Table
from urlset._options.kinds import Kind
from urlset._options.option import Option, Source, option_of, options_of

S = TypeVar("S", bound="Settings")


class Settings:
    """The values of a table of the file, by the names of its options. What the file does not say is None."""

    __slots__ = ()

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

        def __init__(self, **values: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...


def table_of(*sources: Source, without: Iterable[str] = ()) -> Callable[[type[S]], type[S]]:
    """Make a class of settings: its own fields, and the options of verbs and values that have an example."""

    def decorate(settings: type[S]) -> type[S]:
        own = settings.__annotations__
        inherited = {each.name for each in options_of(settings)} if is_dataclass(settings) else set()
        found = [each for source in sources for each in options_of(source)]
        left_out = inherited | own.keys() | set(without)
        added = [each for each in found if each.example and each.name not in left_out]
        declared = [replace(each, default=each.shown_default) for each in added]
        settings.__annotations__ = own | {each.name: Annotated[Any, each] for each in declared}
        for each in declared:
            setattr(settings, each.name, None)
        return dataclass(frozen=True, slots=True, kw_only=True)(settings)

    return decorate


def keys_of(settings: type[Settings]) -> list[str]:
    """Return the keys of a table in the file."""
    return [each.key for each in options_of(settings)]


def key_of(settings: type[Settings], name: str) -> str:
    """Return the key of one option."""
    return option_of(settings, name).key


def read_settings(settings: type[S], table: Table, more: Mapping[Kind, Callable[[Table, str], Any]] | None = None) -> S:
    """Read a table of the file. `more` reads kinds that only this table has.

    Raises:
        InputError: A key is unknown or its value is invalid; the message names the file and the key.
    """
    table.check_keys(keys_of(settings))
    readers = dict(READERS) | dict(more or {})
    return settings(**{each.name: _read(each, table, readers) for each in options_of(settings)})


def _read(option: Option, table: Table, readers: Mapping[Kind | None, Callable[[Table, str], Any]]) -> Any:
    value = readers[option.kind](table, option.key)
    if value is not None:
        with table.at(option.key):
            option.check_value(value)
    return value


def stated(settings: Settings, names: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the values that are not None, by name: all of them, or those of `names`."""
    chosen = (each.name for each in fields(settings)) if names is None else names
    return {name: value for name in chosen if (value := getattr(settings, name)) is not None}
