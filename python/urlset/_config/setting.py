"""What is declared about a setting, in one place: the file, the command line and the reference follow from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from urlset._config.kinds import BOOLEAN, Kind
from urlset._config.toml import Table
from urlset._model.errors import InputError
from urlset._util.text import did_you_mean

_METADATA = "setting"

S = TypeVar("S")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A setting: a field of a settings class, a key of the file, and mostly an option of the command line.

    Attributes:
        kind: How the value is written in the file.
        help: One sentence for `--help`, for the reference and for the file that `urlset init` writes.
        example: A value as TOML.
        default: What holds if the setting is absent, in words. The value of an absent setting is None.
        choices: All valid values, or all valid items of a list.
        check: Raises InputError for an invalid value; its message is put after the key or the option.
        metavar: The placeholder for the value in `--help`.
        panel: The heading under which `--help` and the reference list the setting.
        name: The name of the field.
        key: The key in the file.
        option: The declaration of the option; empty for a setting that only the file has.
    """

    kind: Kind
    help: str
    example: str
    default: str | None = None
    choices: tuple[str, ...] = ()
    check: Callable[[Any], object] | None = None
    metavar: str | None = None
    panel: str | None = None
    name: str = ""
    key: str = ""
    option: str | None = None

    def check_value(self, value: Any) -> None:
        """Raise InputError if `value` is invalid."""
        if self.choices:
            for each in [value] if isinstance(value, str) else value:
                if each not in self.choices:
                    raise InputError(f"unknown value {each!r}{did_you_mean(each, self.choices, or_all=True)}")
        if self.check is not None:
            self.check(value)


def setting(kind: Kind, help_text: str, **facts: Any) -> Any:
    """Declare a field of a settings class: None by default, with the facts of a `Setting`."""
    return field(default=None, metadata={_METADATA: Setting(kind=kind, help=help_text, **facts)})


def settings_of(table: type) -> tuple[Setting, ...]:
    """Return the settings of a settings class, in the order in which they are declared."""
    return tuple(_named(each.metadata[_METADATA], each.name) for each in fields(table))


def _named(declared: Setting, name: str) -> Setting:
    """Fill in what follows from the name of the field."""
    words = name.replace("_", "-")
    option = f"--{words}/--no-{words}" if declared.kind is BOOLEAN else f"--{words}"
    return replace(
        declared,
        name=name,
        key=declared.key or words,
        option=option if declared.option is None else declared.option,
    )


def keys_of(table: type) -> list[str]:
    """Return the keys of the table in the file that a settings class stands for."""
    return [each.key for each in settings_of(table)]


def key_of(table: type, name: str) -> str:
    """Return the key of one field."""
    return next(each.key for each in settings_of(table) if each.name == name)


def read_settings(settings: type[S], table: Table) -> S:
    """Read a table of the file into a settings class.

    Raises:
        InputError: A key is unknown or its value is invalid; the message names the file and the key.
    """
    table.check_keys(keys_of(settings))
    return settings(**{each.name: _read(each, table) for each in settings_of(settings)})


def _read(declared: Setting, table: Table) -> Any:
    value = declared.kind.read(table, declared.key)
    if value is not None:
        with table.at(declared.key):
            declared.check_value(value)
    return value


def stated(settings: Any, names: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the values that are not None, by field: all of them, or those of `names`."""
    chosen = (each.name for each in fields(settings)) if names is None else names
    return {name: value for name in chosen if (value := getattr(settings, name)) is not None}
