"""What mkdocstrings cannot see in the source: an extension of Griffe.

An option is declared in the type of a parameter, as `Annotated[str, Option(...)]`, and the fields of a value get their
docstring from that. People want to read the type and the docstring.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import griffe


class Declared(griffe.Extension):
    """Shows `Annotated[T, ...]`, and names of such types, as T; and the docstrings that are made when imported."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Name the section of the example as Griffe knows it, so that it is highlighted."""
        if obj.docstring:
            obj.docstring.value = obj.docstring.value.replace("\nExample:\n", "\nExamples:\n")

    def on_function(self, *, func: griffe.Function, **kwargs: Any) -> None:
        """Replace the types of the parameters."""
        for parameter in func.parameters:
            parameter.annotation = _plain(parameter.annotation, func)

    def on_class(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Replace the types of the fields and the docstring."""
        if any(str(each.value) == "documented" for each in cls.decorators) and cls.docstring:
            module, _, name = cls.path.rpartition(".")
            cls.docstring.value = inspect.getdoc(getattr(import_module(module), name)) or ""
            self.on_object(obj=cls)
        for parameter in cls.parameters:
            parameter.annotation = _plain(parameter.annotation, cls)
        for attribute in cls.attributes.values():
            attribute.annotation = _plain(attribute.annotation, cls)


def _plain(annotation: Any, within: griffe.Object) -> Any:
    """Return the type that an annotation annotates."""
    if isinstance(annotation, griffe.ExprName):
        try:
            named = within.modules_collection[annotation.canonical_path]
        except KeyError:
            return annotation
        value = getattr(named.final_target if named.is_alias else named, "value", None)
        return _plain(value, within) if _is_annotated(value) else annotation
    if _is_annotated(annotation) and isinstance(annotation.slice, griffe.ExprTuple):
        return annotation.slice.elements[0]
    return annotation


def _is_annotated(annotation: Any) -> bool:
    return isinstance(annotation, griffe.ExprSubscript) and str(annotation.left) == "Annotated"
